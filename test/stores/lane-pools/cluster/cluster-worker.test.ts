import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ClusterLanePool } from "../../../../src/lane-pools/cluster/cluster-lane-pool.ts";
import { VisitedSet } from "../../../../src/engine/graph/visited-set.ts";
import { keysOf, RUNS } from "../../../../src/lane-pools/cluster/queue-link.ts";
import { MessageSigner } from "../../../../src/lane-pools/cluster/message-signer.ts";
import { some } from "../../../sizes.ts";
import { until } from "../../../support/e2e.ts";
import { link, newSecret, offer, work, type OfferedRun, type WorkerSetting } from "../../../support/in-process-cluster.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0).reverse()) await close();
});

/** A run with an exploration that may be joined. */
async function offered(secret: string): Promise<OfferedRun & { readonly cluster: ClusterLanePool }> {
  const run = await offer(secret);
  closing.push(() => run.coordinator.close());
  const cluster = run.explore();
  await opened(cluster);
  return { ...run, cluster };
}

async function opened(cluster: ClusterLanePool): Promise<void> {
  closing.push(() => cluster.close());
  await cluster.start();
  cluster.share(new VisitedSet());
}

describe("a worker", () => {
  const misfits: readonly (readonly [string, WorkerSetting, RegExp])[] = [
    ["another seqqa", { version: "2 <b>" }, /^the worker has seqqa 2\?\?b\?, but the run has seqqa 1$/],
    [
      "other code",
      { code: "1".repeat(64) },
      /^the code of memory\.explore\.ts is different on the worker \(hash 11111111\) and in the run \(hash 00000000\)$/,
    ],
    [
      "another configuration",
      { config: new Map(["timeout", "retry", "a b", "c", "d", "e", "f"].map((key) => [key, "y"])) },
      /^the worker's configuration differs from the run's in a\?b, c, d, e, f and 2 more$/,
    ],
    [
      "lanes that begin elsewhere",
      { as: (lanes) => ({ ...lanes, ready: { ...lanes.ready, root: { ...lanes.ready.root, rootLo: 1, rootLines: ["strange"] } } }) },
      /^the root state on the worker differs from the run's: .*strange/,
    ],
    [
      "stores that cannot be written",
      { as: (lanes) => ({ ...lanes, ready: { ...lanes.ready, portable: false } }) },
      /^the worker's stores do not accept snapshots, but the run's stores do$/,
    ],
  ];
  it.each(some(misfits, 3))("with %s is refused by name, there and here, and no chunk is given to it", async (_what, setting, why) => {
    const secret = newSecret();
    const { notes, cluster } = await offered(secret);
    const one = work(secret, setting);
    const refused: unknown = await one.ended.catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "WORKER_REFUSED", exitStatus: 2 });
    const said = /^The distributed run refused this worker: (.*)\.$/.exec((refused as Error).message)![1]!;
    expect(said).toMatch(why);
    expect(notes).toContain(`Worker worker:1 was refused: ${said}.`);
    expect(cluster.capacity.open).toBe(0);
  });

  it("takes the newest run of its secret that it fits, and says why not another", async () => {
    const secret = newSecret();
    const fitting = await offered(secret);
    const newer = await offer(secret);
    closing.push(() => newer.coordinator.close());
    await opened(newer.explore({ config: new Map([["timeout", "another"]]) }));
    const one = work(secret);
    closing.push(async () => (one.leave(), await one.ended));
    await until(() => fitting.cluster.capacity.open === 1, "that it joins");
    expect(one.notes).toContain(
      "The distributed run refused this worker: the worker's configuration differs from the run's in timeout. This worker now waits for another run.",
    );
  });

  it("says that it lives while its lanes come up", async () => {
    const secret = newSecret();
    const { cluster } = await offered(secret);
    const heard = vi.spyOn(cluster, "receive");
    let go!: () => void;
    const one = work(secret, { before: new Promise<void>((resolve) => (go = resolve)) });
    closing.push(async () => (go(), one.leave(), await one.ended));
    await until(() => heard.mock.calls.some(([{ heading }]) => heading.kind === "alive"), "that it says so");
    expect([cluster.capacity.open, cluster.hasWorkers]).toEqual([0, true]);
  });

  it("waits for a run, and works on its explorations one after another until it is over", async () => {
    const secret = newSecret();
    const one = work(secret, { lanes: 2 });
    const run = await offer(secret);
    closing.push(() => run.coordinator.close());
    for (let exploration = 0; exploration < 2; exploration++) {
      const cluster = run.explore();
      await opened(cluster);
      await until(() => cluster.capacity.open === 2, "that it joins");
      await cluster.close();
    }
    await run.coordinator.close();
    await one.ended;
    expect(one.notes.filter((note) => /^Joined ledger with 2 lanes\.$/.test(note))).toHaveLength(2);
    expect(one.notes.at(-1)).toBe("The distributed run has ended, so this worker stops.");
  });

  it("is refused while there are only runs of another secret, whose owner hears of it", async () => {
    const { notes } = await offered(newSecret());
    await expect(work(newSecret()).ended).rejects.toMatchObject({
      code: "WORKER_REFUSED",
      exitStatus: 2,
      message: "The distributed run refused this worker: this worker and the run have different values of SEQQA_SECRET.",
    });
    await until(
      () => notes.some((note) => note.startsWith("The run ignored a message that arrived over Redis: its sender")),
      "that the run says so",
    );
  });

  it("leaves a run that was killed for another one, without being started again", { timeout: 60_000 }, async () => {
    const secret = newSecret();
    const own = await link();
    const killed = randomBytes(16).toString("hex");
    closing.push(async () => own.close());
    const exploration = { index: 0, name: "ledger", file: "memory.explore.ts", code: "0".repeat(64) };
    const said = JSON.stringify({ state: "open", exploration });
    // The announcement of a run that was killed 20 s ago.
    await own.redis.set(keysOf(killed).run, new MessageSigner(secret).close({ kind: "run", run: killed, id: "0" }, said), "EX", 40);
    await own.redis.zadd(RUNS, Date.now() - 20_000, killed);
    const one = work(secret);
    await until(async () => (await own.redis.llen(keysOf(killed).inbox)) > 0, "that it wants to join the killed run");
    const { cluster, coordinator } = await offered(secret);
    await until(() => cluster.capacity.open === 1, "that it joins the other run", 30_000);
    await cluster.close();
    await coordinator.close();
    await one.ended;
    expect(one.notes).toEqual([
      "The distributed run has sent nothing for a while, so this worker waits for another run.",
      expect.stringMatching(/^Joined ledger /),
      expect.stringMatching(/^ledger: this worker finished /),
      "The distributed run has ended, so this worker stops.",
    ]);
  });

  it("ends when its run is not heard of any more", async () => {
    const secret = newSecret();
    const own = await link();
    const run = randomBytes(16).toString("hex");
    closing.push(async () => own.close());
    const said = JSON.stringify({ state: "open", exploration: null });
    await own.redis.set(keysOf(run).run, new MessageSigner(secret).close({ kind: "run", run, id: "0" }, said), "EX", 60);
    await own.redis.zadd(RUNS, Date.now(), run);
    const one = work(secret);
    // What it says first when there is none is that it waits: it has found this one.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(one.notes).toEqual([]);
    await own.redis.multi().del(keysOf(run).run).zrem(RUNS, run).exec();
    const real = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => real() + 61_000);
    await expect(one.ended).rejects.toMatchObject({
      code: "RUN_GONE",
      exitStatus: 3,
      message: "This worker stops, because it heard nothing from the distributed run for 60 s.",
    });
  });
});
