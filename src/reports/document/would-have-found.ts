import { isFaultId } from "../../engine/findings/fault-id.ts";
import { CRASHED, INVALID_ANSWER } from "../../messages/lane-messages.ts";
import type { ExplorationFacts, RaceCoverage } from "../../model/results/result.ts";
import { NOT_TRIED_AGAIN } from "../../model/results/unconfirmed-races.ts";

/** Reasons for which a run leaves out calls in its search for races or faults. Another run may include such calls. */
const LEFT_OUT = [
  "finding",
  "max_time",
  "interrupted",
  "lane_lost",
  "too_many_states",
  "not_there",
  "one_connection",
  "order_fails",
  "no_overlap",
  "no_write",
];

export type Completeness = Pick<
  ExplorationFacts,
  | "stopReason"
  | "open"
  | "errors"
  | "divergences"
  | "verdict"
  | "violations"
  | "invariants"
  | "unjudgedRules"
  | "coverage"
  | "raceCoverage"
  | "faultCoverage"
>;

/** A finding that a run did not report. */
export interface MissedFinding {
  readonly id: string;
  readonly isRace: boolean;
  /** The name of the broken rule; for a race, the names of its calls. `undefined` if the name is not known. */
  readonly rule: string | undefined;
  /** The names of the actions that lead to the finding; for a race, to the state in which its calls were sent. Default: not known. */
  readonly path?: readonly string[] | undefined;
}

/**
 * The reason why a run does not report a finding. `gone`: the finding no longer exists, because the run would have found it. `unseen`: the run may
 * have missed the finding. `unchecked`: the rule or a call of the finding no longer exists.
 */
export type Absence = "gone" | "unseen" | "unchecked";

/**
 * Returns why a run does not report a finding.
 * @param hasPath Returns `true` if the run executed every call of a path. Called only if violations of the run may hide the path. Default: not known.
 */
export function absenceOf(
  result: Completeness,
  missed: MissedFinding,
  hasPath: (path: readonly string[]) => boolean = () => false,
): Absence {
  if (!isStillChecked(result, missed)) return "unchecked";
  return wouldHaveFound(result, missed, hasPath) ? "gone" : "unseen";
}

/** Returns `true` if the exploration ended because no state was left to explore. */
export function isComplete({ stopReason, open }: Pick<Completeness, "stopReason" | "open">): boolean {
  // Check `open`, too: a shard can end as exhausted while states of other shards are not expanded.
  return stopReason === "exhausted" && open === 0;
}

/**
 * Returns `true` if an exploration executed every possible call. The search does not continue after a violation or after a call without an answer, so
 * later calls may be missing in such an exploration.
 */
export function sawEveryCall(result: Pick<Completeness, "stopReason" | "open" | "verdict" | "violations">): boolean {
  return isComplete(result) && !hidesStates(result);
}

/** Returns `true` if an exploration probed the calls of a race. If only the pairs that rules ask for were probed, `asked` lists their races. */
function isProbed(id: string, coverage: RaceCoverage | undefined): boolean {
  return coverage !== undefined && (coverage.asked === undefined || coverage.asked.includes(id));
}

function hidesStates({ verdict, violations }: Pick<Completeness, "verdict" | "violations">): boolean {
  return (
    verdict.exceptions.some(({ kind }) => kind === "violating_states") ||
    violations.some(({ state, fault }) => state === null && fault === undefined)
  );
}

function wouldHaveFound(
  result: Completeness,
  { id, isRace, rule, path }: MissedFinding,
  hasPath: (path: readonly string[]) => boolean,
): boolean {
  const { errors, divergences, unjudgedRules = [], raceCoverage, faultCoverage } = result;
  if (!isComplete(result) || errors.length > 0 || divergences.length > 0) return false;
  if (hidesStates(result)) {
    if (path === undefined) return false;
    if (!(isRace ? callsOf(rule).map((call) => [...path, call]) : [path]).every(hasPath)) return false;
  }
  const none = (counts: Readonly<Record<string, number>>, reasons: readonly string[]): boolean =>
    reasons.every((reason) => (counts[reason] ?? 0) === 0);
  if (isRace) {
    if (raceCoverage === undefined || !isProbed(id, raceCoverage)) return false;
    return none(raceCoverage.skipped, LEFT_OUT) && none(raceCoverage.dismissed, Object.keys(NOT_TRIED_AGAIN));
  }
  if (!isFaultId(id)) return rule === undefined ? unjudgedRules.length === 0 : !unjudgedRules.includes(rule);
  if (faultCoverage === undefined || faultCoverage.unconfirmed > 0) return false;
  return none(faultCoverage.skipped, LEFT_OUT) && Object.keys(faultCoverage.skippedPoints).length === 0;
}

/** Matches the names of findings that consist of the name of an action or rule, and a suffix. */
const OF_PART = /^(.+)_(?:timeout|server_error|status|dead)$/;

/** Returns `false` if the rule of a finding, its last call, or a call of a race no longer exists in the exploration. */
function isStillChecked({ invariants, coverage }: Completeness, { id, isRace, rule, path = [] }: MissedFinding): boolean {
  const exists = (name: string): boolean => Object.hasOwn(coverage.actions, name);
  if (isRace) return callsOf(rule).every(exists);
  if (!path.slice(-1).every(exists)) return false;
  if (rule === undefined || isFaultId(id)) return true;
  const [, part] = OF_PART.exec(rule) ?? [];
  const isBuiltIn = rule === CRASHED || rule === INVALID_ANSWER || rule.endsWith("_unreached");
  return isBuiltIn || invariants.includes(rule) || (part !== undefined && (exists(part) || invariants.includes(part)));
}

/** Returns the names of the actions that the name of a race consists of; see `raceName`. */
const callsOf = (name: string | undefined): readonly string[] => name?.replace(/, \d+ at once$/, "").split(" || ") ?? [];
