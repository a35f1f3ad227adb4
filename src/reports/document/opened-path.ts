import type { Race, Violation } from "../../model/results/result.ts";

/**
 * Returns the path to the state that is opened for a finding. For a race, it is the state in which the calls are sent. For a fault, it is the state
 * before the last step, in which the fault happened. For other findings, it is the state at the end of the path.
 */
export function openedPath(finding: Pick<Violation, "reproductionPath" | "fault"> | Pick<Race, "prefix">): readonly string[] {
  if ("prefix" in finding) return finding.prefix;
  return finding.fault === undefined ? finding.reproductionPath : finding.reproductionPath.slice(0, -1);
}
