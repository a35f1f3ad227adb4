import { describe, expect, it } from "vitest";
import type { LanePool } from "../../../../src/engine/lane-pool.ts";
import { confirmFaults, faultsOn, probeFaults } from "../../../../src/faults/index.ts";
import { FaultTally } from "../../../../src/faults/plan/fault-tally.ts";
import type { FaultAnswer, FaultRequest } from "../../../../src/messages/fault-messages.ts";
import { untriedFaults } from "../../../../src/run/results/fault-result.ts";
import { RacesEnd } from "../../../../src/races/index.ts";
import { runExplorer } from "../../../support/run-explorer.ts";
import { shop } from "../../races/plan/shop.ts";
import { FIRST, hitOf, TRIED } from "./answers.ts";

const REQUEST: FaultRequest = { path: [1, 2], action: 0, kinds: ["error"], bestEffort: [], from: 0 };
const LOST = { kind: "unreachable", message: "gone" } as const;

/** A lane pool that answers requests as `answer` says, and notes them. */
function poolOf(answer: (request: FaultRequest, time: number) => FaultAnswer, lanes = 1) {
  const asked: FaultRequest[] = [];
  let rebuilt = 0;
  const pool = {
    lanes,
    fault: async (_lane: number, request: FaultRequest) => {
      asked.push(request);
      await new Promise((done) => setTimeout(done, (asked.length * 7) % 3));
      return answer(request, asked.length);
    },
    rebuild: () => Promise.resolve(void rebuilt++),
    record: () => Promise.resolve({ steps: [], drew: false }),
  } as unknown as LanePool;
  return { pool, asked, rebuilt: () => rebuilt };
}

describe("faults on a lane", () => {
  it("go on behind the point at which the lane was lost", async () => {
    const { pool, asked, rebuilt } = poolOf((_request, time) =>
      time === 1 ? { ...TRIED, tried: 0, next: 1, failure: LOST } : { ...TRIED, tried: 1 },
    );
    const answers = await faultsOn(pool, 0, REQUEST);
    expect(asked.map(({ from }) => from)).toEqual([0, 1]);
    expect(answers.length).toBe(2);
    expect(rebuilt()).toBe(1);
    const tally = new FaultTally({ faults: [{ node: 0, action: 0 }], skipped: {} });
    tally.add(answers);
    expect(tally.coverage()).toMatchObject({ calls: 1, counted: 1, points: 2, tried: 1, skippedPoints: { lane_lost: 1 } });
  });

  it("end where the lane is lost before a point is tried, and where the target did not recover", async () => {
    const lost = poolOf(() => ({ ...TRIED, points: 0, tried: 0, next: undefined, failure: LOST }));
    await faultsOn(lost.pool, 0, REQUEST);
    expect(lost.asked.length).toBe(1);
    const dead = poolOf(() => ({ ...TRIED, tried: 1, next: 1, hits: [hitOf("no_recovery")], failure: LOST }));
    const answers = await faultsOn(dead.pool, 0, REQUEST);
    expect(dead.asked.length).toBe(1);
    const tally = new FaultTally({ faults: [{ node: 0, action: 0 }], skipped: {} });
    tally.add(answers);
    expect(tally.coverage()).toMatchObject({ points: 2, tried: 1, skippedPoints: { no_recovery: 1 } });
  });
});

describe("probing for faults", () => {
  const options = (signal?: AbortSignal) => ({
    ownActions: 3,
    kinds: ["error"] as const,
    bestEffort: [],
    isFound: (invariant: string, action: number) => invariant === "known" && action === 0,
    end: new RacesEnd(Infinity, signal),
    onProgress: () => undefined,
  });

  it("counts every call once, and has its results in the order of the plan for every number of lanes", async () => {
    const { explorer } = await runExplorer(shop());
    const results = [];
    for (const lanes of [1, 3]) {
      const { pool } = poolOf((request) => (request.action === 0 ? { ...TRIED, hits: [hitOf("torn_write")] } : TRIED), lanes);
      const { seen, tally } = await probeFaults(explorer.committer, pool, options());
      const { durationMs: _, ...coverage } = tally.coverage();
      results.push({ seen, coverage });
    }
    expect(results[1]).toEqual(results[0]);
    const { coverage, seen } = results[0]!;
    expect(coverage).toMatchObject({ counted: coverage.calls, points: 2 * coverage.calls, tried: 2 * coverage.calls, skippedPoints: {} });
    expect(coverage.missing).toEqual({ "cache error": "it has no writes" });
    expect(seen.length).toBeGreaterThan(0);
  });

  it("kills the target only once everything else was tried, and only where there is a write to kill it at", async () => {
    const { explorer } = await runExplorer(shop());
    const kinds = ["error", "kill"] as const;
    const killable = (request: FaultRequest): number => (request.action === 0 ? 3 : 0);
    const answer = (request: FaultRequest): FaultAnswer => {
      const points = request.restarts === true ? killable(request) : 2;
      return { ...TRIED, points, tried: points, killable: killable(request) };
    };
    const { pool, asked } = poolOf(answer, 2);
    const { tally } = await probeFaults(explorer.committer, pool, { ...options(), kinds });
    const { calls, counted, points, tried } = tally.coverage();
    const kills = asked.slice(calls);
    expect(asked.slice(0, calls).every(({ restarts }) => restarts === false)).toBe(true);
    expect(kills.every(({ restarts, action }) => restarts === true && action === 0)).toBe(true);
    expect(kills.length).toBeGreaterThan(0);
    expect({ counted, points, tried }).toEqual({ counted: calls, points: 2 * calls + 3 * kills.length, tried: points });

    const stop = new AbortController();
    const until = poolOf((request) => (request.restarts === true && stop.abort(), answer(request)));
    const left = (await probeFaults(explorer.committer, until.pool, { ...options(stop.signal), kinds })).tally.coverage();
    expect(left).toMatchObject({ counted: calls, points, tried: 2 * calls + 3 });
    expect(left.skippedPoints).toEqual({ interrupted: 3 * (kills.length - 1) });
  });

  it("leaves out rules that the same call breaks without a fault", async () => {
    const { explorer } = await runExplorer(shop());
    const lost = { ...hitOf("torn_write", { kind: "lost_answer" as const }), invariant: "known" };
    const { pool } = poolOf(() => ({ ...TRIED, hits: [lost] }));
    const { seen } = await probeFaults(explorer.committer, pool, options());
    expect(seen.map(({ request }) => request.action)).not.toContain(0);
    expect(seen.length).toBeGreaterThan(0);
  });

  it("says how many calls an interruption left out", async () => {
    const { explorer } = await runExplorer(shop());
    const stop = new AbortController();
    const { pool } = poolOf(() => (stop.abort(), TRIED));
    const { tally } = await probeFaults(explorer.committer, pool, options(stop.signal));
    const { calls, counted, skipped } = tally.coverage();
    expect(counted).toBe(1);
    expect(skipped["interrupted"]).toBe(calls - 1);
  });
});

describe("confirming faults", () => {
  const tally = (): FaultTally => new FaultTally({ faults: [], skipped: {} });
  const end = new RacesEnd(Infinity, undefined);

  it("replays the first hit of an action and verdict, without the steps that it does not need", async () => {
    const { pool, asked } = poolOf((request) => (request.path.includes(2) ? { ...TRIED, hits: [hitOf("torn_write")] } : TRIED));
    const seen = [
      { request: REQUEST, hits: [hitOf("torn_write"), hitOf("torn_write", { kind: "error", store: "db", write: 2 })] },
      { request: { ...REQUEST, path: [1] }, hits: [hitOf("torn_write")] },
    ];
    const confirmed = await confirmFaults(seen, pool, tally(), end);
    expect(confirmed).toMatchObject([{ request: { path: [2], action: 0, only: FIRST }, count: 3, isMinimal: true, foundPath: [1, 2] }]);
    expect(asked.every(({ only }) => only === FIRST)).toBe(true);
  });

  it("counts what is not seen again, and reports nothing", async () => {
    const { pool } = poolOf(() => TRIED);
    const counts = tally();
    expect(await confirmFaults([{ request: REQUEST, hits: [hitOf("torn_write")] }], pool, counts, end)).toEqual([]);
    expect(counts.coverage().unconfirmed).toBe(1);
  });

  it.each([
    ["its path does not lead to the call", { tried: 0, points: 0, dismissed: "skipped" }, "its path did not lead to the call again"],
    ["the call makes no such write", { tried: 0, points: 0 }, "the call did not make this write again"],
    ["the lane is lost", { failure: { kind: "unreachable", message: "gone" } }, "the target or its lane was lost"],
    ["two executions without a fault differ", { dismissed: "unsteady" }, undefined],
    ["the fault was made again", {}, undefined],
  ] as const)("lists a problem whose fault could not be made again: %s", async (_what, answer, reason) => {
    const { pool } = poolOf(() => ({ ...TRIED, ...answer }));
    const counts = tally();
    await confirmFaults([{ request: REQUEST, hits: [hitOf("torn_write")] }], pool, counts, end);
    expect(counts.untried.map((one) => one.reason)).toEqual(reason === undefined ? [] : [reason]);
    const sentence = `A fault showed pay_torn_write (order -> ship -> pay), but seqqa could not try to confirm it, because ${reason}.`;
    expect(untriedFaults(counts.untried, { actions: ["pay", "order", "ship"] })).toEqual(reason === undefined ? [] : [sentence]);
  });
});
