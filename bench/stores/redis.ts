import { Redis } from "ioredis";
import { RedisAdapter } from "seqqa/adapters/redis";
import { redis } from "../../test/support/services/kinds.ts";
import { find } from "../../test/support/services/service.ts";
import { ROWS, scope, type Bed, type Mode } from "./bed.ts";

export const redisModes: readonly Mode[] = [{ name: "redis dump", open: dump }];

const key = (id: number): string => `item:${id}`;

/** Starts a Redis server, as a lane has its own, because commandstats and notifications concern a whole server. */
async function ownServer(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const found = await find(redis, { running: false });
  if (found.kind === "missing") throw new Error(found.problem);
  return found;
}

async function dump(): Promise<Bed> {
  const [own, bare] = [await ownServer(), await ownServer()];
  const [target, bareTarget, control, subscriber] = [new Redis(own.url), new Redis(bare.url), new Redis(bare.url), new Redis(bare.url)];
  for (const client of [target, bareTarget]) for (let id = 1; id <= ROWS; id++) await client.hset(key(id), "name", "item", "qty", 7);
  const system = new RedisAdapter({ url: `${own.url}/0` });
  await system.open(scope(false));
  await system.root();
  await control.config("SET", "notify-keyspace-events", "KA");
  await subscriber.psubscribe("__keyspace@0__:*");
  const images = new Map<number, Buffer>();
  for (const id of [1, 2, 3]) images.set(id, await control.dumpBuffer(key(id)));
  const branch = (client: Redis) => (): Promise<unknown> =>
    client
      .multi()
      .hset(key(1001), "name", "new", "qty", 1)
      .hset(key(1002), "name", "new", "qty", 1)
      .hincrby(key(1), "qty", 1)
      .hincrby(key(2), "qty", 1)
      .del(key(3))
      .exec();
  // After these replies, all earlier notifications have arrived, and the statistics show commands without a notification.
  const settle = (): Promise<unknown> => Promise.all([subscriber.ping(), control.info("commandstats")]);
  return {
    system,
    branch: branch(target),
    bare: {
      mark: settle,
      branch: branch(bareTarget),
      restore: async () => {
        await settle();
        const pipeline = control.multi();
        for (const [id, image] of images) pipeline.call("RESTORE", key(id), 0, image, "REPLACE");
        await pipeline.del(key(1001), key(1002)).exec();
      },
    },
    sizes: async () => [
      { name: "keys", value: await target.dbsize(), unit: "keys" },
      { name: "memory", value: Number(/^used_memory:(\d+)/m.exec(await target.info("memory"))?.[1]) / 1024, unit: "KiB" },
    ],
    close: async () => {
      await system.close();
      for (const client of [target, bareTarget, control, subscriber]) client.disconnect();
      await own.stop();
      await bare.stop();
    },
  };
}
