import { expect, it } from "vitest";
import { RaceTally } from "../../../../src/races/plan/race-tally.ts";
import { NOTHING } from "./answers.ts";

const LOST = { ...NOTHING, failure: { kind: "unreachable", message: "the target ended" } } as const;

it.each([
  ["all requests", [NOTHING, NOTHING], 1, {}],
  ["the first request", [NOTHING, LOST], 0, { lane_lost: 1 }],
  ["the last request", [LOST, NOTHING], 0, { lane_lost: 1 }],
  ["no request", [{ ...NOTHING, dismissed: "order_fails" }, LOST], 0, { order_fails: 1 }],
] as const)("a pair with two requests is either probed or skipped: %s was answered", (_what, answers, probed, skipped) => {
  const tally = new RaceTally({ races: [], pairs: 1, skipped: {}, cut: new Set(), readOnly: new Set() });
  for (const answer of answers) tally.add(answer, { path: [3], sides: [0, 0] });
  expect(tally.coverage()).toMatchObject({ probed, skipped });
  expect(Object.keys(tally.coverage().skipped)).toEqual(Object.keys(skipped));
});

it("a pair whose calls never overlapped was not probed", () => {
  const tally = new RaceTally({ races: [], pairs: 1, skipped: {}, cut: new Set(), readOnly: new Set() });
  tally.add({ ...NOTHING, trials: 0, misses: 4 }, { path: [3], sides: [0, 0] });
  expect(tally.coverage()).toMatchObject({ probed: 0, skipped: { no_overlap: 1 } });
  expect([...tally.unprobed]).toEqual([["0,0", "no_overlap"]]);
});
