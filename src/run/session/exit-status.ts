import { SeqqaError } from "../../model/errors.ts";
import type { ReportedJourney } from "../../reports/index.ts";

/**
 * The exit status of a run. 0: passed. 1: a confirmed finding or a failed journey. 2: usage or configuration error. 3: the result is unverified. 130:
 * interrupted.
 */
export type ExitStatus = 0 | 1 | 2 | 3 | 130;

/**
 * Returns the exit status for a journey: 130 if interrupted, 1 if it did not pass, 3 if it could not be run or its stores could not be restored, else
 * 0.
 */
export function statusOfJourney({ result, error, notPutBack }: Pick<ReportedJourney, "result" | "error" | "notPutBack">): ExitStatus {
  if (result.interrupted) return 130;
  const failed = result.steps.some(({ status }) => status === "failed" || status === "timed_out");
  if (failed || (result.status !== "passed" && error === undefined)) return 1;
  return error !== undefined || notPutBack !== undefined ? 3 : 0;
}

export function statusOfError(error: unknown): ExitStatus {
  return error instanceof SeqqaError ? error.exitStatus : 3;
}

/** Exit statuses, the most important one first: interrupted, finding, configuration error, unverified result, passed. */
const ORDER: readonly ExitStatus[] = [130, 1, 2, 3, 0];

export function worst(statuses: readonly ExitStatus[]): ExitStatus {
  return ORDER.find((status) => statuses.includes(status)) ?? 0;
}
