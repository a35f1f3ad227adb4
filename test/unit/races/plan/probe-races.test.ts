import { expect, it } from "vitest";
import type { LanePool } from "../../../../src/engine/lane-pool.ts";
import { probeRaces, RacesEnd } from "../../../../src/races/index.ts";
import { runExplorer } from "../../../support/run-explorer.ts";
import { NOTHING } from "./answers.ts";
import { shop } from "./shop.ts";

it.each([
  ["answers", () => Promise.resolve(NOTHING)],
  ["is lost with it, and not built anew", () => Promise.resolve({ ...NOTHING, failure: { kind: "unreachable", message: "gone" } })],
] as const)("counts each pair once, also where probing is interrupted and the lane %s", async (_how, last) => {
  const { explorer } = await runExplorer(shop());
  for (const asked of [0, 1, 3, 100]) {
    const stop = new AbortController();
    let races = 0;
    if (asked === 0) stop.abort();
    const lanePool = {
      lanes: 1,
      race: () => {
        if (++races !== asked) return Promise.resolve(NOTHING);
        stop.abort();
        return last();
      },
      rebuild: () => Promise.reject(stop.signal.reason as Error),
    } as unknown as LanePool;
    const { tally } = await probeRaces(explorer.committer, lanePool, {
      actions: 3,
      ownActions: 3,
      effort: { first: 2, trials: 20, delivery: "auto", seed: 0 },
      copies: 2,
      end: new RacesEnd(Infinity, stop.signal),
      onProgress: () => undefined,
    });
    const { pairs, probed, skipped } = tally.coverage();
    expect([races, races - 1]).toContain(probed);
    expect(skipped["interrupted"] === undefined).toBe(asked === 100);
    expect(probed + Object.values(skipped).reduce((sum, count) => sum + count, 0)).toBe(pairs);
  }
});
