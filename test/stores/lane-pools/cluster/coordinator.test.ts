import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VisitedSet } from "../../../../src/engine/graph/visited-set.ts";
import type { Chunk, Expansion } from "../../../../src/messages/lane-messages.ts";
import type { ClusterLanePool } from "../../../../src/lane-pools/cluster/cluster-lane-pool.ts";
import { RUNS, type QueueLink } from "../../../../src/lane-pools/cluster/queue-link.ts";
import { MessageSigner, type Heading } from "../../../../src/lane-pools/cluster/message-signer.ts";
import { until } from "../../../support/e2e.ts";
import { lanesOf, ledgerInMemory, link, newSecret, offer, work, type OfferedRun } from "../../../support/in-process-cluster.ts";

const WAITING = /^Waiting for workers\. Start each worker .*: seqqa worker --redis redis:/;
const closing: (() => unknown)[] = [];
let own: QueueLink;
let secret: string;
let seal: MessageSigner;
let offered: OfferedRun;
/** Its id. */
let run: string;
beforeEach(async () => {
  own = await link();
  secret = newSecret();
  seal = new MessageSigner(secret);
  const before = new Set(await own.redis.zrevrange(RUNS, 0, -1));
  offered = await offer(secret);
  const texts = (await own.redis.zrevrange(RUNS, 0, -1)).filter((one) => !before.has(one));
  const bodies = await Promise.all(texts.map((one) => own.redis.get(`seqqa-run:${one}`)));
  run = texts.find((_, index) => seal.open(bodies[index]) !== undefined)!;
  closing.push(
    () => own.close(),
    () => offered.coordinator.close(),
  );
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function opened(): Promise<ClusterLanePool> {
  const cluster = offered.explore();
  await cluster.start();
  cluster.share(new VisitedSet());
  closing.push(() => cluster.close());
  return cluster;
}

const inbox = (text: string): Promise<number> => own.redis.rpush(`seqqa-run:${run}:inbox`, text);
const say = (kind: Heading["kind"], body: object | string, key: string = `${run}-0`, id = "0"): Promise<number> =>
  inbox(seal.close({ kind, run: key, id }, typeof body === "string" ? body : JSON.stringify(body)));
/** What is in the inbox is heard. */
const heard = (): Promise<void> => until(async () => (await own.redis.llen(`seqqa-run:${run}:inbox`)) === 0, "that it is heard");
const rootChunk = async (cluster: ClusterLanePool): Promise<Chunk> => {
  const [{ rootLo: lo, rootHi: hi }] = (await cluster.rebuild(0).then((report) => [report])) as [{ rootLo: number; rootHi: number }];
  return { direct: false, units: [{ path: [], from: 0, to: 13, lo, hi, uncertain: false, snapshot: undefined }] };
};

describe("a message", () => {
  it("that was not sealed with the run's secret is refused and told of once, and hurts nothing", async () => {
    const cluster = await opened();
    for (const text of ["", "x".repeat(100), new MessageSigner("another").close({ kind: "join", run: `${run}-0`, id: "0" }, "{}")])
      await inbox(text);
    await heard();
    await until(() => offered.notes.some((note) => note.startsWith("The run ignored a message")), "that it is told of");
    expect(offered.notes.filter((note) => note.startsWith("The run ignored a message"))).toEqual([
      "The run ignored a message that arrived over Redis: its sender does not have the SEQQA_SECRET of this run.",
    ]);
    const one = work(secret);
    closing.push(async () => (one.leave(), await one.ended));
    await until(() => cluster.capacity.open === 1, "that a worker joins all the same");
  });

  it.each([
    ["of another form", "join", { worker: "me" }, /over Redis: worker is not the id of a worker/],
    ["that is no JSON", "ready", "{", /over Redis: the message is not JSON/],
  ] as const)("%s is refused, though it is sealed", async (_what, kind, body, why) => {
    await opened();
    await say(kind, body);
    await until(() => offered.notes.some((note) => why.test(note)), String(why));
  });

  it("of an earlier exploration, said again, is none of this one", async () => {
    const first = await opened();
    const joining = (worker: string): object => ({ worker, name: "host:1", seqqa: "1", code: "0".repeat(64), config: { timeout: "x" } });
    const [early, late] = ["a".repeat(32), "b".repeat(32)];
    const welcomes = (worker: string): Promise<number> => own.redis.llen(`seqqa-run:${run}:to:${worker}`);
    await say("join", joining(early));
    await until(async () => (await welcomes(early)) === 1, "the welcome");
    await first.close();
    await opened();
    await say("join", joining(early));
    await say("join", joining(late), `${run}-1`);
    await until(async () => (await welcomes(late)) === 1, "the welcome to the second one");
    expect(await welcomes(early)).toBe(1);
  });
});

describe("an answer", () => {
  it("counts once: late ones, and those of a worker that was not let in, change nothing", async () => {
    const cluster = await opened();
    const chunk = await rootChunk(cluster);
    const lanes = await lanesOf(await ledgerInMemory(), 1);
    closing.push(() => lanes.close());
    const right = await lanes.lanePool.expand(0, chunk);
    const { expansionText } = await import("../../../../src/lane-pools/cluster/chunk-text.ts");
    const wrong: Expansion = { ...right, rows: right.rows.map((word) => word + 1), snapshots: [] };
    const told = (worker: string, expansion: Expansion): Promise<number> =>
      say("result", `${JSON.stringify({ worker, origins: [] })}\n${expansionText(expansion)}`, `${run}-0`, "1");
    const asked = cluster.expand(0, chunk);
    await told("b".repeat(32), wrong);
    await heard();
    const one = work(secret);
    closing.push(async () => (one.leave(), await one.ended));
    expect([...(await asked).rows]).toEqual([...right.rows]);
    // Of somebody who says again what was said, changed or not: nobody waits for it.
    await told("b".repeat(32), wrong);
    await heard();
    expect([...(await cluster.expand(0, chunk)).rows]).toEqual([...right.rows]);
  });
});

describe("a run", () => {
  it("says that it waits for workers while it has none, and not while one is about to come", async () => {
    await opened();
    await until(() => offered.notes.some((note) => WAITING.test(note)), "that it waits");
    const second = await offer(secret);
    closing.push(() => second.coordinator.close());
    let go: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const cluster = second.explore();
    closing.push(() => cluster.close());
    const one = work(secret, { before: gate });
    closing.push(async () => (one.leave(), await one.ended));
    await cluster.start();
    cluster.share(new VisitedSet());
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect([cluster.capacity.open, second.notes]).toEqual([0, []]);
    go!();
    await until(() => cluster.capacity.open === 1, "that it joins");
    expect(second.notes).toEqual(["Worker worker:1 joined with 1 lane (now in the run: 1 worker, 1 lane)."]);
  });

  it("that is over says so, and leaves nothing but what expires", async () => {
    const cluster = await opened();
    const one = work(secret);
    await until(() => cluster.capacity.open === 1, "that a worker joins");
    await cluster.expand(0, await rootChunk(cluster));
    await cluster.close();
    await offered.coordinator.close();
    await one.ended;
    expect(await own.redis.zscore(RUNS, run)).toBeNull();
    const keys = await own.redis.keys(`*${run}*`);
    const lasting = await Promise.all(keys.map(async (key) => ((await own.redis.ttl(key)) === -1 ? key : undefined)));
    expect(lasting.filter((key) => key !== undefined)).toEqual([]);
  });
});
