import type { ExplorationResult, Race, Violation } from "../../model/results/result.ts";
import { isAtLeast, type Severity } from "../../model/declare/severity.ts";
import { resultJson } from "../json/result-json.ts";

/**
 * Returns a result that is unverified if its exploration ended at the first finding although this finding does not make the run fail. The rest of the
 * states may contain findings that do. With `none`, no finding makes a run fail, so the result stays as it is.
 */
export function unverifiedIfCut(result: ExplorationResult, failOn: Severity | "none"): ExplorationResult {
  if (failOn === "none" || result.stopReason !== "first_violation" || statusOfResult(result, failOn) !== 0) return result;
  const why =
    "The exploration ended at its first finding (--bail), which is less severe than fail_on_severity. Run it without --bail, or lower fail_on_severity.";
  const own = { ...result, unverified: [...result.unverified, why] };
  return { ...own, toJSON: () => resultJson(own) };
}

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
