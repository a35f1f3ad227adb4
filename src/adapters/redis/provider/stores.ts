import { SeqqaError } from "../../../model/errors.ts";
import type { StoreKind, StoreProvider, StoreProviderOptions } from "../../../model/stores/store-provider.ts";
import { checkRedis } from "../connect/check.ts";
import { Connection } from "../connect/driver.ts";
import { IndexProvider } from "./index-provider.ts";
import { cleanLost, sweepServer } from "../dump/leftovers.ts";
import { redisPlace } from "../connect/redis-url.ts";
import { FaultyProvider } from "./faulty-provider.ts";
import { Registry } from "./registry.ts";
import { ServerProvider } from "./own-server.ts";

/** Redis stores for lanes: a server per lane (`isolation: server`, the default), or a database per lane on the template's server (`index`). */
export const stores: StoreKind = {
  createProvider(options) {
    const provider = providerOf(options);
    return options.faulty === true ? new FaultyProvider(provider) : provider;
  },

  async clean(url, how) {
    const place = redisPlace(url);
    const registry = await Registry.find(place);
    if (registry === undefined) return cleanLost(place, undefined, how);
    try {
      const cleaned = await sweepServer(registry, registry.owner, place.db, { ...how, asked: true });
      await registry.leave();
      return cleaned;
    } catch (error) {
      registry.abandon();
      throw error;
    }
  },

  check: checkRedis,

  async disturb(url) {
    const connection = await Connection.open(redisPlace(url));
    try {
      const victim = await connection.bytes("RANDOMKEY");
      if (Buffer.isBuffer(victim)) await connection.bytes("DEL", victim);
      await connection.bytes("SET", "seqqa:disturbed", "1");
      return Buffer.isBuffer(victim) ? "removed one key and wrote another" : "wrote a key";
    } finally {
      connection.close();
    }
  },
};

function providerOf(options: StoreProviderOptions): StoreProvider {
  switch (options.isolation ?? "server") {
    case "server":
      return new ServerProvider(options);
    case "index":
      return new IndexProvider(options);
    default:
      throw new SeqqaError(
        "REDIS_OPTION_INVALID",
        `systems.${options.name}.isolation is ${JSON.stringify(options.isolation)}, but must be server or index.`,
        {
          hint: "Set `isolation: server` for a Redis server per lane, or `isolation: index` for a database per lane.",
          exitStatus: 2,
        },
      );
  }
}
