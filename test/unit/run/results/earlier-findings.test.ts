import { expect, it } from "vitest";
import type { ResumedExploration } from "../../../../src/run-log/index.ts";
import { withEarlier } from "../../../../src/run/results/earlier-findings.ts";
import { result, violation } from "../../../support/results.ts";

const before = (...violations: ResumedExploration["found"]["violations"]): ResumedExploration =>
  ({ found: { violations, races: [{ id: "race", rule: "pay || pay" }] } }) as unknown as ResumedExploration;

it("keeps confirmed findings of earlier sessions that belong to no state, and races", () => {
  const seen = violation({ id: "seen", state: null });
  const kept = withEarlier(
    result({ violations: [violation({ id: "new" })] }),
    before(
      seen,
      violation({ id: "new", state: null }),
      violation({ id: "of a state", state: 3 }),
      violation({ id: "doubtful", state: null, confirmed: false }),
      violation({ id: "edge", invariant: "go_dead", state: null }),
    ),
  );
  expect(kept.violations.map(({ id }) => id)).toEqual(["new", "seen"]);
  expect(kept.races.map(({ id }) => id)).toEqual(["race"]);
});

it("changes nothing if the exploration is not resumed, or everything was found again", () => {
  const one = result({ races: [{ id: "race" } as never] });
  expect(withEarlier(one, undefined)).toBe(one);
  expect(withEarlier(one, before())).toBe(one);
});
