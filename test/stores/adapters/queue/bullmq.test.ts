import { Queue, Worker, type JobsOptions } from "bullmq";
import { Redis } from "ioredis";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { BullmqAdapter } from "../../../../src/adapters/queue/index.ts";
import { stores } from "../../../../src/adapters/queue/bullmq/index.ts";
import { queueContract, type QueueSubject } from "../../../contract/queue/queue-contract.ts";
import { storeLane } from "../../../support/queue-lane.ts";
import { redisUrl } from "../../../support/services.ts";
import { ownServer } from "../redis/scratch.ts";
import { until } from "../../../support/e2e.ts";

let server: string;
beforeAll(async () => {
  server = `${(await redisUrl()).replace("redis:", "bullmq:")}/0`;
});

async function lane(prefix = "bull") {
  const made = await storeLane(stores, `${server}?prefix=${prefix}`);
  const connection = { url: made.url };
  const queue = new Queue("charges", { connection, prefix });
  await queue.waitUntilReady();
  const store = new BullmqAdapter({ url: made.url, prefix });
  await store.open({ name: "jobs", laneIndex: 0, inProcess: false, borrowed: false });
  const close = async (): Promise<void> => {
    await store.close();
    await queue.close();
    await made.close();
  };
  return { queue, store, close, connection };
}

/** Executes work twice from the root state, at different times. Returns the state after each execution as text. */
async function statesAtTwoTimes(work: (own: Awaited<ReturnType<typeof lane>>) => Promise<void>): Promise<readonly string[]> {
  const own = await lane();
  const { store, close } = own;
  onTestFinished(close);
  await store.root();
  const root = await store.mark();
  const states: string[] = [];
  for (const round of [1, 2]) {
    await store.restore(root);
    const since = Date.now();
    await until(async () => Date.now() > since + round, "another time");
    await work(own);
    states.push(JSON.stringify(await store.observe()));
  }
  return states;
}

describe("queues of BullMQ", () => {
  queueContract(async (): Promise<QueueSubject> => {
    const { queue, store, close, connection } = await lane();
    let worker: Worker | undefined;
    return {
      store,
      add: (data) => queue.add("charge", data, { removeOnComplete: true }),
      work: async () => {
        worker = new Worker("charges", async () => undefined, { connection });
        // The worker is listed before it waits for jobs.
        const redis = new Redis(connection.url, { protocol: 2 });
        await until(async () => String(await redis.client("LIST")).includes(" cmd=bzpopmin "), "a worker that waits");
        redis.disconnect();
      },
      close: async () => {
        await worker?.close(true);
        await close();
      },
    };
  });

  it("jobs are tried again by BullMQ's own rules: behind others, after a delay, until they fail", async () => {
    const { queue, store, close } = await lane("shop");
    onTestFinished(close);
    const add = (n: number, options: JobsOptions) => queue.add("charge", n, options);
    await add(1, { attempts: 2 });
    await add(2, { attempts: 2, backoff: 3_600_000 });
    const retry = async (): Promise<unknown> => {
      const taken = await store.take("charges");
      await taken?.settle("retry");
      return taken?.job.data;
    };
    expect(await retry()).toBe(1);
    expect(await store.jobs("charges")).toMatchObject([
      { data: 2, redelivered: false },
      { data: 1, redelivered: true },
    ]);
    expect(await retry()).toBe(2);
    expect(await store.jobs("charges")).toMatchObject([{ data: 1 }, { data: 2, state: "delayed" }]);
    expect(await retry()).toBe(1);
    // A delay is over as soon as a worker looks for a job, behind those that wait: how long a lane took must not decide.
    expect(await store.jobs("charges")).toMatchObject([
      { data: 2, state: "waiting" },
      { data: 1, state: "failed" },
    ]);
    expect(await retry()).toBe(2);
    expect((await store.jobs("charges")).map(({ state }) => state)).toEqual(["failed", "failed"]);
    expect(await retry()).toBeUndefined();
  });

  it("the jobs of a job scheduler do not depend on the time at which it makes them", async () => {
    const states = await statesAtTwoTimes(async ({ queue, store }) => {
      await queue.upsertJobScheduler("daily", { every: 86_400_000 }, { name: "digest", data: { n: 1 } });
      await queue.upsertJobScheduler("nightly", { pattern: "0 3 * * *" }, { name: "digest" });
      const taken = await store.take("charges");
      expect(taken?.job.name).toBe("digest");
      await taken!.settle("done");
    });
    expect(states[0]).toContain("repeat:daily:");
    expect(states[0]).toBe(states[1]);
  });

  it("a job whose backoff is a function of the target's worker is delayed", async () => {
    const { queue, store, close } = await lane();
    onTestFinished(close);
    await queue.add("charge", 1, { attempts: 3, backoff: { type: "custom" } });
    await queue.add("charge", 2, { attempts: 3, backoff: { type: "jitter of ours", delay: 5 } });
    for (const n of [1, 2]) {
      const taken = await store.take("charges");
      expect(taken?.job.data).toBe(n);
      await taken!.settle("retry");
      expect(await store.jobs("charges")).toMatchObject(
        n === 1 ? [{ data: 2 }, { data: 1, state: "delayed" }] : [{ data: 1 }, { data: 2, state: "delayed" }],
      );
    }
  });

  it("a rejected job fails at once, and a job with a priority comes after those without", async () => {
    const { queue, store, close } = await lane();
    onTestFinished(close);
    await queue.add("charge", 1, { attempts: 5, priority: 2 });
    await queue.add("charge", 2, { attempts: 5, priority: 1 });
    await queue.add("charge", 3);
    expect((await store.jobs("charges")).map(({ data }) => data)).toEqual([3, 2, 1]);
    for (const n of [3, 2, 1]) {
      const taken = await store.take("charges");
      expect(taken?.job.data).toBe(n);
      await taken!.settle("reject");
    }
    expect((await store.jobs("charges")).map(({ state }) => state)).toEqual(["failed", "failed", "failed"]);
  });

  it("a state does not depend on when its jobs were added, taken and finished", async () => {
    const states = await statesAtTwoTimes(async ({ queue, store }) => {
      await queue.add("charge", { n: 1 });
      await queue.add("charge", { n: 2 });
      await (await store.take("charges"))!.settle("done");
      await (await store.take("charges"))!.settle("retry");
    });
    expect(states[0]).toContain("bull:charges:failed");
    expect(states[0]).toBe(states[1]);
  });
});

describe("a database of BullMQ that is used in place", () => {
  const place = ownServer();

  it("ends as it began, with the keys of BullMQ's bookkeeping", async () => {
    const redis = place.client();
    const queue = new Queue("charges", { connection: { url: place.url() } });
    onTestFinished(() => queue.close());
    await queue.add("charge", 1);
    const everything = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const key of (await redis.keys("bull:*")).sort()) found.push(`${key} ${(await redis.dumpBuffer(key))?.toString("hex")}`);
      return found;
    };
    const before = await everything();
    let asked = 1;
    const store = new BullmqAdapter({ url: place.url().replace("redis:", "bullmq:") });
    await store.open({ name: "jobs", laneIndex: 0, inProcess: false, borrowed: true, asked: () => asked });
    await store.root();
    const root = await store.mark();
    asked++;
    await queue.add("charge", 2);
    // The worker dies: its lock stays.
    await store.take("charges");
    expect(await redis.keys("bull:*:lock")).toHaveLength(1);
    expect(JSON.stringify(await store.observe())).not.toMatch(/:lock|:events|:marker/);
    await store.restore(root);
    asked++;
    await queue.add("charge", 3);
    await (await store.take("charges"))?.settle("done");
    await store.close();
    expect(await everything()).toEqual(before);
  });
});
