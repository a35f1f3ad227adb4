import { Redis } from "ioredis";
import { redis } from "../../test/support/services/kinds.ts";
import { find } from "../../test/support/services/service.ts";
import type { BareStore, Change } from "./bare-store.ts";

const CHANNEL = "__keyspace@0__:";
const ORDERS = [1, 2, 3];

/**
 * Starts a Redis server, as a lane has its own. Keyspace notifications name the written keys. The reply to INFO commandstats on the listening
 * connection arrives after all notifications, and shows commands that cause none, such as FLUSHDB.
 */
export async function bareRedis(): Promise<BareStore> {
  const server = await find(redis, { running: false });
  if (server.kind === "missing") throw new Error(server.problem);
  const [control, checks] = [new Redis(server.url), new Redis(server.url)];
  const listener = new Redis(server.url, { protocol: 3 });
  let written = new Set<string>();
  let own = false;
  let wipes = "";
  const settle = async (): Promise<void> => {
    const stats = await listener.info("commandstats");
    const now = (stats.match(/cmdstat_(?:flushall|flushdb|swapdb):calls=\d+/g) ?? []).join();
    if (now !== wipes) throw new Error("A database was emptied.");
    wipes = now;
  };
  const look = async (): Promise<readonly Change[]> => {
    await settle();
    if (written.size === 0) return [];
    const keys = [...written];
    written = new Set();
    // The observation needs the content of a key, and a restore needs its dump.
    const pipeline = control.pipeline();
    for (const key of keys) {
      pipeline.dumpBuffer(key);
      if (key === "orders") pipeline.get(key);
      else pipeline.hgetall(key);
    }
    const replies = (await pipeline.exec())!;
    return keys.map((key, i): Change => [key, (replies[2 * i]![1] as Buffer | null)?.toString("latin1")]);
  };
  return {
    url: `${server.url}/0`,
    prepare: async () => {
      await control.config("SET", "notify-keyspace-events", "KA");
      listener.on("pmessage", (_pattern, channel: string, message: string) => {
        const key = channel.slice(CHANNEL.length);
        if (key === "own") own = message === "begin";
        else if (!own) written.add(key);
      });
      await listener.psubscribe(`${CHANNEL}*`);
    },
    look,
    mark: look,
    put: async (changes) => {
      const transaction = control.multi().publish(`${CHANNEL}own`, "begin");
      for (const [key, content] of changes) {
        if (content === undefined) transaction.del(key);
        else transaction.restore(key, 0, Buffer.from(content, "latin1"), "REPLACE");
      }
      await transaction.publish(`${CHANNEL}own`, "end").exec();
    },
    // Like fixtures/ledger/orders.ts, this function reads one order after another.
    check: async () => {
      for (const id of ORDERS) await checks.hgetall(`order:${id}`);
    },
    close: async () => {
      for (const client of [control, checks, listener]) client.disconnect();
      await server.stop();
    },
  };
}
