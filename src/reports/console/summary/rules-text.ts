import type { ActionCoverage, ExplorationResult } from "../../../model/results/result.ts";
import type { Colours } from "../text/colours.ts";
import { grouped, plural } from "../text/numbers.ts";
import { printable } from "../text/printable.ts";

type Judged = Pick<ExplorationResult, "invariants" | "violations" | "races" | "errors" | "unjudgedRules">;

/**
 * The result of a rule in a run. `broken`: a finding names the rule. `unjudged`: the rule threw an error, or could not be checked in any step, or in
 * any step of an action that it names. `held`: neither of these, so the rule held in all steps in which it could be checked.
 */
export type RuleState = "held" | "broken" | "unjudged";

/**
 * Returns `true` if an action worked at least once, that is, had an HTTP status below 400 and a body that does not refuse the request, or any answer
 * if the action must be refused. Status 0 (no response) counts as working, because an edge of a `StateGraph` may send no request. Errors in the code
 * of actions are reported elsewhere.
 */
export function works(action: Pick<ActionCoverage, "statuses" | "mustBeRefused" | "refusedInBody">): boolean {
  return action.mustBeRefused === true ? Object.keys(action.statuses).length > 0 : wasAccepted(action);
}

/** Returns `true` if an action had a status below 400 and a body that does not refuse the request, even if the action must be refused. */
export function wasAccepted({ statuses, refusedInBody = 0 }: Pick<ActionCoverage, "statuses" | "refusedInBody">): boolean {
  return Object.entries(statuses).reduce((sum, [status, count]) => sum + (Number(status) < 400 ? count : 0), 0) > refusedInBody;
}

/** Returns `true` like {@link works}, but `false` for an action that threw an error and never got an answer. */
function hasWorkedWithAnswer(name: string, action: ActionCoverage, errors: Judged["errors"]): boolean {
  const isUnanswered = Object.keys(action.statuses).every((status) => status === "0");
  return works(action) && !(isUnanswered && errors.some(({ source }) => source === name));
}

/** The phrase with which reports describe the rule state `unjudged`. */
export const NOT_CHECKED = "not fully checked, see the notes and errors";

/** Returns `true` if a rule without findings is `unjudged`, `false` if it is `held`; see {@link RuleState}. */
export function isUnjudged(rule: string, { errors, unjudgedRules = [] }: Pick<Judged, "errors" | "unjudgedRules">): boolean {
  // If the target was overloaded, no rule counts as held, because the target may have refused requests that the rule depends on.
  return unjudgedRules.includes(rule) || errors.some(({ source, code }) => source === rule || code === "TARGET_OVERLOADED");
}

/** Returns the result of each declared rule, in the order of declaration. */
export function ruleStates(result: Judged): ReadonlyMap<string, RuleState> {
  const broken = new Set([...result.violations, ...result.races].map(({ invariant }) => invariant));
  return new Map(result.invariants.map((name) => [name, broken.has(name) ? "broken" : isUnjudged(name, result) ? "unjudged" : "held"]));
}

/** The largest number of unbroken rules that are named. Further rules are only counted. */
const NAMED = 20;

export function ruleLines(result: Judged, colours: Colours): readonly string[] {
  const states = [...ruleStates(result)];
  const held = states.filter(([, state]) => state === "held").map(([name]) => name);
  const others = states.filter(([, state]) => state !== "held");
  return [
    ...others.map(([name, state]) =>
      state === "broken" ? `  ${colours.red("✗")} ${printable(name)}` : `  ${colours.yellow("?")} ${printable(name)} (${NOT_CHECKED})`,
    ),
    ...held.slice(0, NAMED).map((name) => `  ${colours.green("✓")} ${printable(name)}`),
    ...(held.length > NAMED ? [`  ${colours.green("✓")} ${grouped(held.length - NAMED)} more rules`] : []),
  ];
}

/** Returns a phrase that says how many actions worked and how many rules held: `4 of 4 actions worked, 2 rules held in 21 states`. */
export function heldText(results: readonly ExplorationResult[]): string {
  const own = results.flatMap(({ coverage, errors }) =>
    Object.entries(coverage.actions).flatMap(([name, action]) =>
      action.brought === true ? [] : [hasWorkedWithAnswer(name, action, errors)],
    ),
  );
  const rules = results.flatMap((result) => [...ruleStates(result).values()]);
  const held = rules.filter((state) => state === "held").length;
  const states = results.reduce((sum, { statesVisited }) => sum + statesVisited, 0);
  const worked = `${grouped(own.filter(Boolean).length)} of ${plural(own.length, "action")} worked`;
  const all = held === rules.length ? plural(held, "rule") : `${grouped(held)} of ${plural(rules.length, "rule")}`;
  return `${worked}, ${all} held in ${plural(states, "state")}`;
}
