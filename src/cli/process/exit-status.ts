import type { ReportedJourney } from "../../reports/index.ts";

/** 0 done; 1 a confirmed finding or a failed journey; 2 usage or configuration; 3 the run could not vouch; 130 interrupted. */
export type ExitStatus = 0 | 1 | 2 | 3 | 130;

/** A failed or timed-out journey is always 1; one that could not be run, or put back, says nothing for certain. */
export function statusOfJourney({ result, error, notPutBack }: Pick<ReportedJourney, "result" | "error" | "notPutBack">): ExitStatus {
  if (result.interrupted) return 130;
  const failed = result.steps.some(({ status }) => status === "failed" || status === "timed_out");
  if (failed || (result.status !== "passed" && error === undefined)) return 1;
  return error !== undefined || notPutBack !== undefined ? 3 : 0;
}

/** An interruption says most about a run; a finding wins over a mistake in another file, and that over doubt. */
const ORDER: readonly ExitStatus[] = [130, 1, 2, 3, 0];

export function worst(statuses: readonly ExitStatus[]): ExitStatus {
  return ORDER.find((status) => statuses.includes(status)) ?? 0;
}
