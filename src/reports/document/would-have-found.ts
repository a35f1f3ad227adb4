import { isFaultId } from "../../engine/findings/fault-id.ts";
import type { ExplorationFacts } from "../../model/results/result.ts";

/** Reasons why a run left out pairs of calls in its search for races, although another run may include them. */
const LEFT_OUT = ["max_time", "interrupted", "lane_lost", "too_many_states", "not_there", "one_connection"];
/** Reasons why a run did not confirm races that it saw, although another run may confirm them. */
const LEFT_UNCONFIRMED = ["max_time", "interrupted"];

export type Completeness = Pick<
  ExplorationFacts,
  "stopReason" | "open" | "errors" | "divergences" | "unjudgedRules" | "raceCoverage" | "faultCoverage"
>;

/** A finding that a run may have missed. */
export interface MissedFinding {
  readonly id: string;
  readonly isRace: boolean;
  /** The name of the broken rule; `undefined` if it is not known. */
  readonly rule: string | undefined;
}

/** Returns `true` if a run without this finding shows that the finding no longer exists, because the run would have found it. */
export function wouldHaveFound(result: Completeness, { id, isRace, rule }: MissedFinding): boolean {
  const { stopReason, open, errors, divergences, unjudgedRules = [], raceCoverage, faultCoverage } = result;
  // Check `open`, too: a shard can end as exhausted while states of other shards are not expanded.
  if (stopReason !== "exhausted" || open > 0 || errors.length > 0 || divergences.length > 0) return false;
  const none = (counts: Readonly<Record<string, number>>, reasons: readonly string[]): boolean =>
    reasons.every((reason) => (counts[reason] ?? 0) === 0);
  if (isRace) {
    if (raceCoverage === undefined) return false;
    return none(raceCoverage.skipped, LEFT_OUT) && none(raceCoverage.dismissed, LEFT_UNCONFIRMED);
  }
  if (!isFaultId(id)) return rule === undefined ? unjudgedRules.length === 0 : !unjudgedRules.includes(rule);
  if (faultCoverage === undefined || faultCoverage.unconfirmed > 0) return false;
  return none(faultCoverage.skipped, LEFT_OUT) && Object.keys(faultCoverage.skippedPoints).length === 0;
}
