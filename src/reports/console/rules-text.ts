import type { ActionCoverage, ExplorationResult } from "../../model/results/result.ts";
import type { Colours } from "./colours.ts";
import { grouped, plural } from "./numbers.ts";
import { printable } from "./printable.ts";

type Judged = Pick<ExplorationResult, "invariants" | "violations" | "races" | "errors" | "unjudgedRules">;

/**
 * The state of a declared rule after a run. `broken`: a finding names it. `unjudged`: it could not be judged in some state, so it is not known whether
 * it held there.
 */
export type RuleState = "held" | "broken" | "unjudged";

/**
 * Returns `true` if a step had a status below 400. A step without a response has status 0: an edge of a state graph that sends nothing, or failed
 * code, which is reported as an error.
 */
export function works(statuses: ActionCoverage["statuses"]): boolean {
  return Object.keys(statuses).some((status) => Number(status) < 400);
}

/** Returns the declared rules of an exploration with their states, in the order of declaration. */
export function ruleStates({ invariants, violations, races, errors, unjudgedRules = [] }: Judged): ReadonlyMap<string, RuleState> {
  const broken = new Set([...violations, ...races].map(({ invariant }) => invariant));
  const unjudged = new Set([...errors.map(({ source }) => source), ...unjudgedRules]);
  // A target that sheds load refuses requests of any rule.
  const isShed = errors.some(({ code }) => code === "TARGET_OVERLOADED");
  return new Map(invariants.map((name) => [name, broken.has(name) ? "broken" : isShed || unjudged.has(name) ? "unjudged" : "held"]));
}

/** The number of rules that held that are named one by one. */
const NAMED = 20;

/** Returns a line for each rule: a check mark for one that held. */
export function ruleLines(result: Judged, colours: Colours): readonly string[] {
  const states = [...ruleStates(result)];
  const held = states.filter(([, state]) => state === "held").map(([name]) => name);
  const others = states.filter(([, state]) => state !== "held");
  return [
    ...others.map(([name, state]) =>
      state === "broken"
        ? `  ${colours.red("✗")} ${printable(name)}`
        : `  ${colours.yellow("?")} ${printable(name)} (could not be judged everywhere)`,
    ),
    ...held.slice(0, NAMED).map((name) => `  ${colours.green("✓")} ${printable(name)}`),
    ...(held.length > NAMED ? [`  ${colours.green("✓")} ${grouped(held.length - NAMED)} more rules`] : []),
  ];
}

/** Returns what was tried and what held, in one phrase: `4 of 4 actions worked, 2 rules held in 21 states`. */
export function heldText(results: readonly ExplorationResult[]): string {
  const own = results.flatMap(({ coverage }) => Object.values(coverage.actions).filter(({ brought }) => brought !== true));
  const rules = results.flatMap((result) => [...ruleStates(result).values()]);
  const held = rules.filter((state) => state === "held").length;
  const states = results.reduce((sum, { statesVisited }) => sum + statesVisited, 0);
  const worked = `${grouped(own.filter(({ statuses }) => works(statuses)).length)} of ${plural(own.length, "action")} worked`;
  const all = held === rules.length ? plural(held, "rule") : `${grouped(held)} of ${plural(rules.length, "rule")}`;
  return `${worked}, ${all} held in ${plural(states, "state")}`;
}
