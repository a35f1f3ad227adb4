import type { ExplorationResult, StopReason } from "../../../model/results/result.ts";
import { collisionText, isWorthTelling } from "./collisions.ts";
import { duration, grouped, plural, stepRate } from "../text/numbers.ts";
import { printable } from "../text/printable.ts";
import { faultRows } from "./fault-coverage-text.ts";
import type { Colours } from "../text/colours.ts";
import { raceRows } from "./race-coverage-text.ts";
import { ruleLines } from "./rules-text.ts";

export interface SummaryOptions {
  readonly verbose: boolean;
  readonly colours: Colours;
}

const STOPPED: Readonly<Record<StopReason, string>> = {
  exhausted: "no state is left to explore",
  max_steps: "the step budget is used up (max_steps)",
  max_depth: "the depth bound is reached (max_depth)",
  max_time: "the time is used up (max_time)",
  first_violation: "at the first violation",
  interrupted: "interrupted",
};

/** The largest number of names that are shown in a list. */
const NAMES = 10;

/**
 * Returns table rows with the nodes of a `StateGraph` that were never reached, the edges that never applied, and the nodes whose `check` returned
 * `false`. Unreached nodes and dead edges are findings only if the exploration was exhaustive.
 */
function graphRows({ unreachedNodes = [], deadEdges = [], deniedChecks = [] }: ExplorationResult): (readonly [string, string])[] {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["unreached", unreachedNodes],
    ["dead edges", deadEdges],
    ["denied checks", deniedChecks],
  ];
  return rows.filter(([, names]) => names.length > 0).map(([word, names]) => [word, listed(names)]);
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMES).map(printable).join(", ");
  return names.length > NAMES ? `${shown} and ${grouped(names.length - NAMES)} more` : shown;
}

/** The labels of the rows that are shown without `verbose`. */
const SHORT: ReadonlySet<string> = new Set(
  "steps,races,probed,dismissed,faults,errors,divergences,bounded,collisions,unreached,dead edges,denied checks,time,stopped,seed".split(
    ",",
  ),
);

/**
 * Returns the summary of an exploration as lines. `verbose` adds numbers for checking the result. The seed is in the last line, because the user
 * needs it to repeat the run.
 */
export function summaryLines(name: string, result: ExplorationResult, { verbose, colours }: SummaryOptions): readonly string[] {
  const rate = stepRate(result);
  const rows: readonly (readonly [string, string])[] = [
    ["steps", `${grouped(result.steps)}, ${grouped(result.maxDepthReached)} deep`],
    ["transitions", grouped(result.transitions)],
    ["skipped", grouped(result.skipped)],
    ["replayed", grouped(result.replayed)],
    ["cross-checked", grouped(result.crossChecked)],
    ...raceRows(result).map(([word, text]) => [word, printable(text)] as const),
    ...faultRows(result).map(([word, text]) => [word, printable(text)] as const),
    ...(result.divergences.length > 0 ? [["divergences", grouped(result.divergences.length)] as const] : []),
    ...(result.errors.length > 0 ? [["errors", grouped(result.errors.length)] as const] : []),
    ...(result.bounded > 0
      ? [["bounded", `${plural(result.bounded, "state")} whose generated ids cannot be distinguished with certainty`] as const]
      : []),
    ...(isWorthTelling(result) ? [["collisions", collisionText(result)] as const] : []),
    ...graphRows(result),
    ["time", duration(result.durationMs) + (rate === undefined ? "" : `, ${rate}`)],
    ["digest", printable(result.digest)],
    ["stopped", STOPPED[result.stopReason]],
    ["seed", String(result.seed)],
  ];
  const shown = rows.filter(([word]) => verbose || SHORT.has(word));
  return [
    colours.bold(`${printable(name)}: ${printable(result.verdict.text)}`),
    ...ruleLines(result, colours),
    ...shown.map(([word, value]) => `  ${word.padEnd(14)}${value}`),
  ];
}
