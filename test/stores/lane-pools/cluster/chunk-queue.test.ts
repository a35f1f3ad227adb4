import { randomBytes } from "node:crypto";
import { UnrecoverableError, Worker, type Job, type Queue } from "bullmq";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ROW, type Chunk, type Expansion } from "../../../../src/messages/lane-messages.ts";
import { ChunkQueue, chunkIdOf } from "../../../../src/lane-pools/cluster/chunk-queue.ts";
import { expansionText } from "../../../../src/lane-pools/cluster/chunk-text.ts";
import type { QueueLink } from "../../../../src/lane-pools/cluster/queue-link.ts";
import { MessageSigner } from "../../../../src/lane-pools/cluster/message-signer.ts";
import { lostExpansion } from "../../../../src/lane-pools/threads/lost-expansion.ts";
import { until } from "../../../support/e2e.ts";
import { link } from "../../../support/in-process-cluster.ts";

const chunk: Chunk = {
  direct: false,
  units: [{ path: [0, 1], from: 0, to: 2, lo: 1, hi: 2, uncertain: false, snapshot: undefined }],
};
const answer: Expansion = { ...lostExpansion(undefined), finished: 1, rows: new Int32Array(2 * ROW).fill(1), busyMs: 1 };
const worker = "a".repeat(32);
const result = (expansion: Expansion = answer): string => `${JSON.stringify({ worker, origins: [] })}\n${expansionText(expansion)}`;
const everybody = (): boolean => true;

let own: QueueLink;
let name: string;
let queue: ChunkQueue;
let jobs: Queue;
let workers: Worker[];
beforeEach(async () => {
  own = await link();
  name = `${randomBytes(16).toString("hex")}-0`;
  queue = new ChunkQueue({ link: own, seal: new MessageSigner("of the tests"), name, actions: 2 });
  queue.open();
  jobs = own.queue(name);
  workers = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  queue.cancel();
  await Promise.all(workers.map((one) => one.close(true)));
  await jobs.close();
  await queue.close();
  own.close();
});

const waiting = async (): Promise<readonly (string | undefined)[]> => (await jobs.getJobs(["wait", "active"])).map(({ id }) => id);
const begin = (process: (job: Job) => Promise<void>, more: object = {}): void => {
  const one = new Worker(name, process, { connection: own.redis, prefix: "seqqa", skipVersionCheck: true, ...more });
  one.on("error", () => undefined);
  workers.push(one);
};

describe("an answer", () => {
  it("counts once, the first one, and is nobody's who was not let in", async () => {
    const asked = queue.ask(chunk);
    const another = { ...answer, rows: new Int32Array(2 * ROW).fill(2) };
    queue.take("1", result(another), () => false);
    queue.take("1", result(), everybody);
    queue.take("1", result(another), everybody);
    queue.take("77", result(), everybody);
    expect(await asked).toEqual(answer);
  });

  it("that is none to the chunk leaves it asked for", async () => {
    const asked = queue.ask(chunk);
    for (const body of ["", "{}", result({ ...answer, rows: new Int32Array(ROW) }), result({ ...answer, finished: 2 })])
      expect(() => queue.take("1", body, everybody)).toThrow(expect.objectContaining({ name: "ShapeError" }));
    queue.take("1", result(), everybody);
    expect(await asked).toEqual(answer);
  });

  it("is nothing for all chunks once nobody waits, and for those that are asked for then", async () => {
    const asked = queue.ask(chunk);
    queue.cancel();
    expect([await asked, await queue.ask(chunk)]).toEqual([lostExpansion(undefined), lostExpansion(undefined)]);
  });
});

describe("a job", () => {
  it("that no longer exists is made again: at once after the server was away, else when its answer cannot be on its way", async () => {
    const asked = queue.ask(chunk);
    await until(async () => (await waiting()).includes("c1-1"), "the job");
    await jobs.obliterate({ force: true });
    const real = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => real() + 1000);
    await queue.audit(false);
    expect(await waiting()).toEqual([]);
    await queue.audit(true);
    expect(await waiting()).toEqual(["c1-2"]);
    await jobs.obliterate({ force: true });
    vi.spyOn(performance, "now").mockImplementation(() => real() + 10_000);
    await queue.audit(false);
    expect(await waiting()).toEqual(["c1-3"]);
    queue.take("1", result(), everybody);
    expect(await asked).toEqual(answer);
  });

  it("is looked for once in a look, however many are asked for meanwhile", async () => {
    const most = 4;
    const prototype = Object.getPrototypeOf(jobs) as Queue;
    const add = vi.spyOn(prototype, "add");
    const added = (): Promise<unknown> => Promise.all(add.mock.results.map(({ value }) => value as Promise<unknown>));
    const looks = vi.spyOn(prototype, "getJobState").mockImplementation(async () => {
      if (looks.mock.calls.length < most) void queue.ask(chunk);
      await added();
      return "waiting";
    });
    void queue.ask(chunk);
    await added();
    await queue.audit(false);
    expect(looks).toHaveBeenCalledTimes(1);
  });

  it("is looked for at the same time as all others, and a look is over when all of them are", async () => {
    const prototype = Object.getPrototypeOf(jobs) as Queue;
    const replies: ((state: "waiting" | Error) => void)[] = [];
    const looks = vi
      .spyOn(prototype, "getJobState")
      .mockImplementation(
        () => new Promise((resolve, reject) => replies.push((state) => (state instanceof Error ? reject(state) : resolve(state)))),
      );
    for (let job = 0; job < 3; job++) void queue.ask(chunk);
    await until(async () => (await waiting()).length === 3, "the jobs");
    let isOver = false;
    const audited = queue.audit(false).finally(() => (isOver = true));
    const failed = expect(audited).rejects.toThrow("away");
    await until(() => looks.mock.calls.length === 3, "that all are looked for");
    replies[0]!(new Error("away"));
    replies[1]!("waiting");
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    replies[2]!("waiting");
    await failed;
  });

  it("that workers give back is made again; the eighth time it is CHUNK_LOST", async () => {
    const seen: (string | undefined)[] = [];
    begin((job) => {
      seen.push(chunkIdOf(job.id!));
      return Promise.reject(new UnrecoverableError("cannot be done here"));
    });
    const lost = expect(queue.ask(chunk)).rejects.toMatchObject({
      code: "CHUNK_LOST",
      exitStatus: 3,
      message: "The workers of the distributed run failed 8 times at the same piece of work.",
    });
    let isOver = false;
    void lost.then(() => (isOver = true));
    await until(async () => (await queue.audit(false), isOver), "that it is given up");
    await lost;
    expect(seen).toEqual(Array.from({ length: 8 }, () => "1"));
  });

  it("over which worker after worker is lost is CHUNK_LOST, with where that was", async () => {
    // They hold on to it, and never say again that they do.
    const never = (): Promise<never> => new Promise(() => undefined);
    const hurried = { lockDuration: 60, stalledInterval: 100, maxStalledCount: 3, skipLockRenewal: true, concurrency: 20 };
    begin(never, hurried);
    begin(never, hurried);
    const lost = expect(queue.ask(chunk)).rejects.toMatchObject({
      code: "CHUNK_LOST",
      exitStatus: 3,
      message:
        "8 workers stopped one after another while they explored the same state. The first of these states is 2 steps from the root state.",
    });
    let isOver = false;
    void lost.then(() => (isOver = true));
    await until(async () => (await queue.audit(false), isOver), "that it is given up", 40_000);
    await lost;
  });
});
