import { describe, expect, it } from "vitest";
import { Severity } from "../../../../src/model/declare/severity.ts";
import { RaceTally } from "../../../../src/races/plan/race-tally.ts";
import { unreachedRules } from "../../../../src/run/explore/unreached-rules.ts";

const ACTIONS = ["enrol", "log_in", "log_out"];
const request = { path: [0], sides: [1, 1] };
const ruleRaces = [
  { rule: "single_use_log_in", severity: Severity.HIGH, pair: [1, 1] as const },
  { rule: "single_use_log_out", severity: Severity.HIGH, pair: [2, 2] as const },
];
const tally = (): RaceTally => new RaceTally({ races: [], pairs: 1, skipped: {} });
const rulesOf = ({ unreached }: RaceTally): readonly string[] => [...unreachedRules({ ruleRaces }, { unreached }, ACTIONS).keys()];

describe("a rule whose calls could not be sent at the same time", () => {
  it("is named with the path that led to another state", () => {
    const probed = tally();
    probed.add({ trials: 0, misses: 0, deliveries: {}, dismissed: "not_there" } as never, request);
    expect([...unreachedRules({ ruleRaces }, { unreached: probed.unreached }, ACTIONS)]).toEqual([
      [
        "single_use_log_in",
        expect.stringContaining("single_use_log_in did not send its calls at the same time, because the path enrol led to another state"),
      ],
    ]);
  });

  it("is named if the path led to another state when a race was confirmed", () => {
    const confirmed = tally();
    confirmed.dismiss("not_there", request, undefined);
    expect(rulesOf(confirmed)).toEqual(["single_use_log_in"]);
  });

  it.each(["control", "order_fails"] as const)("is not named for a pair that was given up for another reason: %s", (dismissed) => {
    const probed = tally();
    probed.add({ trials: 1, misses: 0, deliveries: {}, dismissed } as never, request);
    probed.dismiss("unconfirmed", request, undefined);
    expect(rulesOf(probed)).toEqual([]);
  });
});
