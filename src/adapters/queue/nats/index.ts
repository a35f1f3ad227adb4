import { SeqqaError } from "../../../model/errors.ts";
import type { StoreAdapter } from "../../../model/stores/store-adapter.ts";
import type { StoreModuleSettings } from "../../../model/stores/store-module.ts";
import type { StoreCheck, StoreKind } from "../../../model/stores/store-provider.ts";
import { connectNats, natsUrl, shownNats } from "./connect.ts";
import { NatsAdapter } from "./nats-adapter.ts";
import { natsServer, NatsProvider } from "./provider.ts";

export const stores: StoreKind = {
  createProvider: (options) => new NatsProvider(options),

  // There is nothing to clean: a lane's server ends together with its run.
  clean: async () => ({ removed: [] }),

  check: async (url) => {
    const checks: StoreCheck[] = [];
    const add = async (what: string, look: () => Promise<string>): Promise<void> => {
      try {
        checks.push({ ok: true, what, says: await look() });
      } catch (error) {
        if (!(error instanceof SeqqaError)) throw error;
        checks.push({ ok: false, what, says: `${error.message} ${error.hint ?? ""}`.trim() });
      }
    };
    await add("reachable", async () => {
      const parsed = natsUrl(url);
      const { connection } = await connectNats(parsed);
      const version = connection.info?.version;
      await connection.close();
      return `${shownNats(parsed)} answers: version ${version}, with JetStream.`;
    });
    await add("isolation", async () => `seqqa starts a NATS server for each lane with ${natsServer()}.`);
    return checks;
  },

  disturb: async (url) => {
    const { connection, client, manager } = await connectNats(natsUrl(url));
    try {
      const { value: stream } = await manager.streams.list()[Symbol.asyncIterator]().next();
      const subject = stream?.config.subjects?.[0]?.replaceAll(/[*>]/g, "seqqa");
      if (subject === undefined) return undefined;
      await client.publish(subject, "disturbed");
      return `published to ${subject}`;
    } finally {
      await connection.close();
    }
  },
};

export function openNats({ url }: StoreModuleSettings): StoreAdapter {
  return new NatsAdapter({ url });
}
