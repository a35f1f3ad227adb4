import { expect, it } from "vitest";
import type { LanePool } from "../../../src/engine/lane-pool.ts";
import type { Chunk, Expansion, LaneFailure, LaneReport } from "../../../src/messages/lane-messages.ts";
import { WatchedLanePool } from "../../../src/lane-pools/watched-lane-pool.ts";

const CHUNK: Chunk = { units: [], direct: true };

it("a lane that is lost says how, before the chunks that it held besides say that they are lost with it", async () => {
  const failure = (unit: number): LaneFailure => ({ kind: "unreachable", unit, action: 0, message: "no answer" });
  const answers = [failure(0), failure(-1)].map((one) => ({ stepEvents: [], failure: one }) as unknown as Expansion);
  const inner = { lanes: 1, depth: 2, expand: () => Promise.resolve(answers.shift()) } as unknown as LanePool;
  const target = { exitCode: 1, signal: null, output: ["out of luck"] };
  const endOf = (): Promise<typeof target> => new Promise((resolve) => setTimeout(() => resolve(target), 20));
  const watched = new WatchedLanePool(inner, { endOf });
  const seen: unknown[] = [];
  await Promise.all([1, 2].map(() => watched.expand(0, CHUNK).then((expansion) => seen.push(expansion.failure))));
  expect(seen).toEqual([{ ...failure(0), target }, failure(-1)]);
});

it("a target that ended after a fault is shown with the last problem, a running target is not", async () => {
  const hits = ["torn_write", "no_recovery"].map((verdict) => ({ verdict }));
  const faulted = async (answer: object, exitCode: number | null): Promise<unknown> => {
    const inner = { lanes: 1, fault: () => Promise.resolve(answer) } as unknown as LanePool;
    const target = { exitCode, signal: null, output: ["Unhandled 'error' event"] };
    const watched = new WatchedLanePool(inner, { endOf: () => Promise.resolve(target) });
    return (await watched.fault(0, {} as never)).hits;
  };
  const failure = { kind: "unreachable", message: "no answer" };
  const target = { exitCode: 7, signal: null, output: ["Unhandled 'error' event"] };
  expect(await faulted({ hits, failure }, 7)).toEqual([hits[0], { ...hits[1], target }]);
  expect(await faulted({ hits, failure }, null)).toEqual(hits);
  expect(await faulted({ hits, failure: undefined }, 7)).toEqual(hits);
  expect(await faulted({ hits: [hits[0]], failure }, 7)).toEqual([hits[0]]);
});

it("a standby lane that begins elsewhere is replaced by a lane that is built anew; another lane is not", async () => {
  const report = (rootLo: number, standby?: boolean): LaneReport =>
    ({ wholeLo: 1, wholeHi: 2, rootLo, rootHi: 4, findings: [], isolated: true, standby }) as unknown as LaneReport;
  const rebuilt = async (...reports: readonly LaneReport[]): Promise<readonly unknown[]> => {
    const answers = [...reports];
    const asked: unknown[] = [];
    const inner = {
      lanes: 1,
      depth: 2,
      start: () => Promise.resolve([report(3)]),
      rebuild: (...args: readonly unknown[]) => (asked.push(args), Promise.resolve(answers.shift())),
    } as unknown as LanePool;
    const watched = new WatchedLanePool(inner, { endOf: () => Promise.resolve(undefined) });
    await watched.start();
    const { rootLo } = await watched.rebuild(0, "build");
    return [asked, rootLo];
  };
  expect(await rebuilt(report(3, true))).toEqual([[[0, "build"]], 3]);
  expect(await rebuilt(report(9, true), report(3))).toEqual([[[0, "build"], [0]], 3]);
  expect(await rebuilt(report(9), report(3))).toEqual([[[0, "build"]], 9]);
});

it.each([
  [1, true, "build"],
  [1, false, undefined],
  [2, false, "build"],
])("%i lanes, stores of their own: %s: a second target may run beside the lane's", async (lanes, isolated, expected) => {
  const asked: unknown[] = [];
  const inner = {
    lanes,
    start: () => Promise.resolve(Array.from({ length: lanes }, () => ({ findings: [], isolated }))),
    rebuild: (_lane: number, standby: unknown) => (asked.push(standby), Promise.resolve({ findings: [] })),
  } as unknown as LanePool;
  const watched = new WatchedLanePool(inner, { endOf: () => Promise.resolve(undefined) });
  await watched.start();
  await watched.rebuild(0, "build");
  expect(asked).toEqual([expected]);
});
