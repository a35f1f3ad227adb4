import { describe, expect, it } from "vitest";
import { Severity } from "../../../../src/model/declare/severity.ts";
import type { RaceCall, RaceOutcome } from "../../../../src/model/results/result.ts";
import { raceId } from "../../../../src/engine/findings/race-id.ts";
import { NO_RACES, type FoundRaces } from "../../../../src/run/explore/races.ts";
import { coverageOf, raceOf, unconfirmedRaces } from "../../../../src/run/results/race-result.ts";
import { raceCoverage } from "../../../support/race.ts";

const ended = (status: number, location?: string): RaceCall => ({
  action: "reset",
  status,
  requests: [
    {
      request: { method: "POST", url: "http://127.0.0.1/reset", headers: {}, body: undefined },
      response: { status, headers: location === undefined ? {} : { location }, body: "" },
      durationMs: 1,
    },
  ],
});

const outcome = (order: readonly number[] | null, calls: readonly RaceCall[]): RaceOutcome => ({ order, calls, changes: [], broken: [] });

const raced = (observed: readonly RaceCall[], allowed: readonly RaceCall[], { hasRule = true } = {}) =>
  raceOf(
    {
      request: { sides: [1, 1], path: [0] },
      hit: {
        verdict: "responses",
        invariant: undefined,
        severity: Severity.MEDIUM,
        message: "both calls were answered alike",
        observed: outcome(null, observed),
        allowed: [outcome([0, 1], allowed)],
        delivery: "pipelined",
        schedule: undefined,
      },
      answer: { hits: 3, trials: 3, misses: 0 },
      recording: { steps: [], drew: false },
      count: 1,
    } as never,
    {
      name: "shop",
      actions: ["request", "reset"],
      urls: { exchange: (one: unknown) => one, text: (one: unknown) => one } as never,
      ruleRaces: hasRule ? [{ rule: "single_use_reset", severity: Severity.HIGH, pair: [1, 1] }] : [],
      declaredAt: (rule) => `declared:${rule}`,
    },
  );

const DONE = ended(302, "/done");

describe("a race that a rule requires", () => {
  it.each([
    ["a refusal", [ended(200), ended(200)], [ended(200), ended(400)]],
    ["a redirect instead of an answer", [ended(200), ended(200)], [ended(200), ended(302, "/login")]],
    ["a redirect to another page", [DONE, DONE], [DONE, ended(302, "/login")]],
    ["a redirect with an error", [DONE, DONE], [DONE, ended(302, "/done?error=used")]],
  ])("breaks the rule if more calls succeed than with %s", (_what, observed, allowed) => {
    expect(raced(observed, allowed)).toMatchObject({
      invariant: "single_use_reset",
      severity: Severity.HIGH,
      message: "single_use_reset: both calls were answered alike",
      where: "declared:single_use_reset",
    });
  });

  it.each([
    ["if no more calls succeed", [DONE, ended(302, "/login")], [DONE, ended(302, "/login")], true],
    ["if both succeed in an order, too", [DONE, DONE], [DONE, DONE], true],
    ["if no rule requires the race", [DONE, DONE], [DONE, ended(400)], false],
  ])("keeps its own verdict %s", (_what, observed, allowed, hasRule) => {
    const race = raced(observed, allowed, { hasRule });
    expect(race).toMatchObject({ severity: Severity.MEDIUM, message: "both calls were answered alike" });
    expect(race.invariant).toBeUndefined();
  });
});

it("the coverage names the races of the pairs of rules, if only these were probed", () => {
  const parts = { name: "shop", actions: ["request", "reset", "redeem"], urls: {} as never };
  const asked = (pairs: FoundRaces["asked"]): readonly string[] | undefined =>
    coverageOf({ ...NO_RACES, coverage: raceCoverage(), asked: pairs }, parts)?.asked;
  expect(asked(undefined)).toBeUndefined();
  expect(asked([[1, 1]])).toEqual([raceId("shop", "reset", "reset")]);
  expect(asked([[2, 1]])).toHaveLength(3);
});

describe("a race that was seen and could not be tried again", () => {
  const dismissed = (reason: string, path: readonly number[]): FoundRaces["dismissed"][number] =>
    ({ request: { sides: [1, 1], path }, hit: {}, reason, count: 1 }) as never;
  const parts = { name: "shop", actions: ["request", "reset"], known: new Set<string>() };

  it("makes the result unverified, with the reason", () => {
    const all = ["not_there", "lane_lost", "no_trial", "order_fails", "one_connection", "max_time", "interrupted"].map((reason) =>
      dismissed(reason, [0]),
    );
    const sentences = unconfirmedRaces({ dismissed: all }, parts);
    expect(sentences).toHaveLength(all.length);
    expect(sentences[0]).toBe(
      "A trial showed the race reset || reset after request, but seqqa could not try to confirm it, because its path led to another state on the rebuilt lane.",
    );
  });

  it("names what differs in the other state", () => {
    const one = { ...dismissed("not_there", [0]), difference: "The two states differ in orders.status." };
    expect(unconfirmedRaces({ dismissed: [one] }, parts)[0]).toMatch(
      /another state on the rebuilt lane\. The two states differ in orders\.status\.$/,
    );
  });

  it("names the rule that broke, and how often", () => {
    const one = { ...dismissed("not_repeated", []), hit: { invariant: "once" } as never, rate: { hits: 1, trials: 25 } };
    expect(unconfirmedRaces({ dismissed: [one] }, parts)).toEqual([
      "A trial showed the race reset || reset in the root state, but seqqa could not confirm it, because no trial on the rebuilt lane broke the rule again. The rule once broke in 1 of 25 trials.",
    ]);
  });

  it("is left out if it is known and rare", () => {
    const all = ["not_there", "not_repeated"].map((reason) => dismissed(reason, []));
    const known = new Set([raceId("shop", "reset", "reset")]);
    expect(unconfirmedRaces({ dismissed: all }, parts)).toHaveLength(2);
    expect(unconfirmedRaces({ dismissed: all }, { ...parts, known })).toEqual([expect.stringContaining("led to another state")]);
  });

  it("is not one that trials refuted", () => {
    const refuted = ["unconfirmed", "control", "noise", "idempotent"].map((reason) => dismissed(reason, []));
    expect(unconfirmedRaces({ dismissed: refuted }, parts)).toEqual([]);
  });
});
