import type { ExplorationResult, Race, Violation } from "../../model/results/result.ts";
import { isAtLeast, type Severity } from "../../model/declare/severity.ts";

/** Returns the exit status that the result of one exploration requires. */
export function statusOfResult(result: ExplorationResult, failOn: Severity | "none"): 0 | 1 | 3 | 130 {
  // If the run stopped because of its own error, it was not interrupted by the user, so 130 would be wrong.
  if (result.stopReason === "interrupted" && !result.errors.some(({ source }) => source === "run")) return 130;
  const fails = ({ severity, known }: Pick<Violation | Race, "severity" | "known">): boolean =>
    failOn !== "none" && known !== true && isAtLeast(severity, failOn);
  const failing = result.violations.filter(fails);
  // Do not check `confirmed` of races: a race is reported only after it was seen again on a fresh lane.
  if (failing.some(({ confirmed }) => confirmed) || result.races.some(fails)) return 1;
  const isDoubtful = result.divergences.length > 0 || result.errors.length > 0 || result.unverified.length > 0;
  return failing.length > 0 || isDoubtful ? 3 : 0;
}
