import { Queue, Worker } from "bullmq";
import { describe } from "vitest";
import { BullmqAdapter } from "../../../../src/adapters/queue/index.ts";
import { stores } from "../../../../src/adapters/queue/bullmq/index.ts";
import type { Random } from "../../../contract/system/random.ts";
import { systemContract, type Subject } from "../../../contract/system/system-contract.ts";
import { size } from "../../../sizes.ts";
import { storeLane } from "../../../support/queue-lane.ts";
import { redisUrl } from "../../../support/services.ts";

async function write(random: Random, queue: Queue, worker: Worker): Promise<void> {
  const options = random.pick([{}, { delay: 3_600_000 }, { priority: 2 }, { attempts: 2, removeOnComplete: true }, { jobId: "same" }]);
  if (random.chance(50)) return void (await queue.add("charge", { n: random.below(5) }, options));
  if (random.chance(15))
    return random.pick([() => queue.pause(), () => queue.resume(), () => queue.drain(), () => queue.obliterate({ force: true })])();
  const job = await worker.getNextJob("writer", { block: false });
  if (job === undefined) return;
  if (random.chance(60)) await job.moveToCompleted("done", "writer", false);
  else if (random.chance(50)) await job.moveToFailed(new Error("refused"), "writer", false);
  else await job.moveToWait("writer");
}

async function lane(index: number): Promise<Subject> {
  const made = await storeLane(stores, `${(await redisUrl()).replace("redis:", "bullmq:")}/0`);
  const connection = { url: made.url };
  const queue = new Queue("charges", { connection });
  const worker = new Worker("charges", null, { connection, autorun: false, lockDuration: 3_600_000 });
  await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
  const system = new BullmqAdapter({ url: made.url });
  await system.open({ name: "jobs", laneIndex: index, inProcess: false, borrowed: false });
  return {
    system,
    write: (random) => write(random, queue, worker),
    close: async () => {
      await system.close();
      await worker.close(true);
      await queue.close();
      await made.close();
    },
  };
}

describe("redis with queues of BullMQ", () => {
  systemContract({ lane, cycles: size(6, 2000) });
});
