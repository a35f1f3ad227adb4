import { describe, expect, it } from "vitest";
import { Severity } from "../../../../src/model/declare/severity.ts";
import { RaceTally } from "../../../../src/races/plan/race-tally.ts";
import { notRacedNote, unjudgedRules, unprobedRules, unreachedRules } from "../../../../src/run/explore/unreached-rules.ts";

const ACTIONS = ["enrol", "log_in", "log_out"];
const request = { path: [0], sides: [1, 1] };
const ruleRaces = [
  { rule: "single_use_log_in", severity: Severity.HIGH, pair: [1, 1] as const },
  { rule: "single_use_log_out", severity: Severity.HIGH, pair: [2, 2] as const },
];
const tally = (): RaceTally => new RaceTally({ races: [], pairs: 1, skipped: {}, cut: new Set(), readOnly: new Set() });
const rulesOf = (races: RaceTally): readonly string[] => [...unreachedRules({ ruleRaces }, races, ACTIONS).keys()];

describe("a rule whose calls could not be sent at the same time", () => {
  it("is named with the path that led to another state", () => {
    const probed = tally();
    probed.add({ trials: 0, misses: 0, deliveries: {}, dismissed: "not_there" } as never, request);
    expect([...unreachedRules({ ruleRaces }, probed, ACTIONS)]).toEqual([
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

  it("is not named for a pair that was probed, whatever came of it", () => {
    const probed = tally();
    probed.add({ trials: 1, misses: 0, deliveries: {}, dismissed: "control" } as never, request);
    probed.dismiss("unconfirmed", request, undefined);
    expect(rulesOf(probed)).toEqual([]);
  });

  it.each([
    ["order_fails", "one of them got no answer"],
    ["one_connection", "one connection at a time"],
    ["not_there", "their path led to another state"],
  ])("is not checked with the reason %s, unless they were sent in another state", (dismissed, why) => {
    const probed = tally();
    probed.add({ trials: 0, misses: 0, deliveries: {}, dismissed } as never, request);
    expect([...unprobedRules({ ruleRaces }, probed, new Set())]).toEqual([["single_use_log_in", expect.stringContaining(why)]]);
    expect([...unprobedRules({ ruleRaces }, probed, new Set(["single_use_log_in"]))]).toEqual([]);
    probed.add({ trials: 1, misses: 0, deliveries: {}, dismissed: undefined } as never, request);
    expect([...unprobedRules({ ruleRaces }, probed, new Set())]).toEqual([]);
  });

  it("is not checked if simultaneous calls are impossible in this world", () => {
    const report = { raceObstacle: { why: "the store db uses savepoints", remedy: "Use another checkpoint." } };
    expect(unjudgedRules({ ruleRaces }, report, ["other"])).toEqual(["single_use_log_in", "single_use_log_out", "other"]);
    expect(notRacedNote({ ruleRaces }, report)).toEqual([
      "The rules single_use_log_in, single_use_log_out did not send the same call twice at the same time, because the store db uses savepoints. Use another checkpoint.",
    ]);
    expect([unjudgedRules({ ruleRaces }, {}, []), notRacedNote({ ruleRaces }, {}), notRacedNote({ ruleRaces: [] }, report)]).toEqual([
      [],
      [],
      [],
    ]);
  });

  it("is not checked if the time was over, if each call has a finding, or if no call changed the state", () => {
    const late = tally();
    late.leave("max_time", request);
    const cut = new RaceTally({ races: [], pairs: 1, skipped: {}, cut: new Set(["2,2"]), readOnly: new Set() });
    const readOnly = new RaceTally({ races: [], pairs: 1, skipped: {}, cut: new Set(), readOnly: new Set(["2,2"]) });
    const names = [late, cut, readOnly].map((races) => [...unprobedRules({ ruleRaces }, races, new Set()).keys()]);
    expect(names).toEqual([["single_use_log_in"], ["single_use_log_out"], ["single_use_log_out"]]);
  });
});

it("a rule that the lanes leave out is not checked", () => {
  expect(unjudgedRules({ ruleRaces }, { leftOutRules: ["unchanged"] }, ["unchanged", "other"])).toEqual(["unchanged", "other"]);
});
