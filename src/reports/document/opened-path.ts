import type { Race, Violation } from "../../model/results/result.ts";

/**
 * Returns the path to the state that is opened for a finding. For a race, this state is the one in which the calls are sent. For a fault, it is the
 * state before the last step, because the fault happened in the last step. For other findings, it is the state at the end of the path.
 */
export function openedPath(finding: Pick<Violation, "reproductionPath" | "fault"> | Pick<Race, "prefix">): readonly string[] {
  if ("prefix" in finding) return finding.prefix;
  return finding.fault === undefined ? finding.reproductionPath : finding.reproductionPath.slice(0, -1);
}
