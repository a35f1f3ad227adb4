import { describe, expect, it } from "vitest";
import type { Committer } from "../../../../src/engine/commit/committer.ts";
import type { InconclusiveEvent } from "../../../../src/messages/lane-messages.ts";
import { inconclusiveRules, uncheckedSteps } from "../../../../src/run/results/unchecked-steps.ts";
import { committerAt, rowsOf, type Told } from "../../engine/rows.ts";

const ACTIONS = ["log_in", "log_out", "suspend"];

interface Step extends Told {
  readonly action: (typeof ACTIONS)[number];
  /** The reason of the rule `ends`; `true` if the rule judged the step. */
  readonly said: string | true;
  readonly partly?: boolean;
}

/** A committer with these steps, and their rule `ends`. */
function committerOf(steps: readonly Step[]): Committer {
  const committer = committerAt(ACTIONS);
  for (const { action: name, said, partly, ...told } of steps) {
    const action = ACTIONS.indexOf(name);
    const events: InconclusiveEvent[] = said === true ? [] : [{ invariant: "ends", what: said, ...(partly && { partly }) }];
    const stepEvents = { unit: 0, action, findings: [], errors: [], exchanges: [], ...(events.length > 0 && { unjudged: events }) };
    committer.commit(0, action, { rows: rowsOf([told]), at: 0, stepEvents });
  }
  return committer;
}

interface Given {
  readonly subjects?: readonly string[];
  readonly checkedAfter?: readonly string[];
  readonly isExhaustive?: boolean;
  readonly stopReason?: "exhausted" | "max_steps" | "first_violation";
}

const unchecked = (
  steps: readonly Step[],
  { subjects = ["log_out"], checkedAfter, isExhaustive = true, stopReason = "exhausted" }: Given = {},
): readonly string[] =>
  uncheckedSteps(committerOf(steps), {
    actions: ACTIONS,
    subjects: new Map([["ends", subjects]]),
    ruleActions: new Map(checkedAfter === undefined ? [] : [["ends", checkedAfter]]),
    coverage: {},
    stopReason,
    isExhaustive,
  });
const out = (said: string | true, more: Partial<Step> = {}): Step => ({ action: "log_out", said, to: 1, ...more });

describe("a rule that was inconclusive", () => {
  it("in every step in which its action worked makes the result unverified", () => {
    const [why, ...others] = unchecked([out("no session"), out("no session"), out("no clients"), out(true, { status: 401 })]);
    expect(others).toEqual([]);
    expect(why).toBe(
      "The rule ends could not be checked in any of the 3 steps in which log_out worked: no session. " +
        "Correct the rule or the actions that it names, or set exploration.require_all_actions to false.",
    );
    expect(inconclusiveRules(committerOf([out("no session"), out(true, { status: 401 })]))).toEqual(["ends"]);
  });

  it("only in some of these steps counts as held", () => {
    const steps = [out("no session"), out(true), out("no session")];
    expect([unchecked(steps), inconclusiveRules(committerOf(steps))]).toEqual([[], []]);
  });

  it("for each of its actions separately", () => {
    const steps = [out(true), out("no session", { action: "suspend" })];
    expect(unchecked(steps, { subjects: ["log_out", "suspend"] })).toEqual([expect.stringContaining("in which suspend worked")]);
    expect(inconclusiveRules(committerOf(steps))).toEqual(["ends"]);
    expect(unchecked([out("no session"), ...steps.slice(1)], { subjects: ["log_out", "suspend"] })).toEqual([
      expect.stringContaining("in any of the 2 steps in which log_out or suspend worked: no session."),
    ]);
  });

  it("without named actions must judge one step of the run", () => {
    const inAll = [out("blind"), out("blind", { action: "log_in" })];
    expect(unchecked(inAll, { subjects: [] })).toEqual([expect.stringContaining("in any of the 2 steps in which an action worked: blind")]);
    expect(unchecked([...inAll, out(true, { action: "suspend" })], { subjects: [] })).toEqual([]);
  });

  it("in every step of the actions of its `when` makes the result unverified", () => {
    const steps = [out("blind"), out(true, { action: "log_in" })];
    expect(unchecked(steps, { subjects: [], checkedAfter: ["log_out"] })).toEqual([
      expect.stringContaining("in any of the 1 step in which log_out worked: blind"),
    ]);
    expect(unchecked(steps, { subjects: [], checkedAfter: ["log_out", "log_in"] })).toEqual([]);
  });

  it("in every refused step does not count as held, although it judged the other steps", () => {
    const refused = out("blind", { status: 404, to: 0 });
    expect(inconclusiveRules(committerOf([out(true), refused, refused]))).toEqual(["ends"]);
    expect(inconclusiveRules(committerOf([out(true), refused, out(true, { status: 404, to: 0 })]))).toEqual([]);
    expect(unchecked([out(true), refused])).toEqual([]);
  });

  it.each<[string, readonly Step[], Given]>([
    ["judged a part of each step", [out("refresh was not tried", { partly: true })], {}],
    ["saw only redirects that changed nothing", [out("no session", { status: 302, to: 0 })], {}],
    ["saw only a few steps of a search that is not over", [out("no session")], { isExhaustive: false, stopReason: "max_steps" }],
    ["belongs to a run that its first finding ended", [out("no session")], { stopReason: "first_violation" }],
  ])("but %s leaves the result verified", (_why, steps, given) => {
    expect(unchecked(steps, given)).toEqual([]);
  });

  it("in twenty steps of a search that is not over makes the result unverified, too", () => {
    const steps = Array.from({ length: 20 }, () => out("no session"));
    expect(unchecked(steps, { isExhaustive: false, stopReason: "max_steps" })).toHaveLength(1);
  });

  it("for a reason that was found after the search does not count as held", () => {
    const committer = committerOf([out(true)]);
    committer.unjudged.addLate({ invariant: "ends", what: "a timer may have written" });
    expect(inconclusiveRules(committer)).toEqual(["ends"]);
  });
});
