import { isFaultId } from "../../engine/findings/fault-id.ts";
import type { ExplorationFacts } from "../../model/results/result.ts";

/** Reasons for not probing pairs, such as a lack of time, that another run may not have. */
const LEFT_OUT = ["max_time", "interrupted", "lane_lost", "too_many_states", "not_there", "one_connection"];
/** Reasons for not confirming hits that another run may not have. */
const LEFT_UNCONFIRMED = ["max_time", "interrupted"];

export type Completeness = Pick<ExplorationFacts, "stopReason" | "open" | "errors" | "divergences" | "raceCoverage" | "faultCoverage">;

/** Returns `true` if the run would have found the finding with this id if it still existed. The result must not contain the finding. */
export function wouldHaveFound(result: Completeness, id: string, isRace: boolean): boolean {
  const { stopReason, open, errors, divergences, raceCoverage, faultCoverage } = result;
  // A shard ends while the states of the other shards are open.
  if (stopReason !== "exhausted" || open > 0 || errors.length > 0 || divergences.length > 0) return false;
  const none = (counts: Readonly<Record<string, number>>, reasons: readonly string[]): boolean =>
    reasons.every((reason) => (counts[reason] ?? 0) === 0);
  if (isRace) {
    if (raceCoverage === undefined) return false;
    return none(raceCoverage.skipped, LEFT_OUT) && none(raceCoverage.dismissed, LEFT_UNCONFIRMED);
  }
  if (!isFaultId(id)) return true;
  if (faultCoverage === undefined || faultCoverage.unconfirmed > 0) return false;
  return none(faultCoverage.skipped, LEFT_OUT) && Object.keys(faultCoverage.skippedPoints).length === 0;
}
