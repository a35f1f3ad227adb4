import type { Config } from "../config/index.ts";
import type { ExplorationResult } from "../model/result.ts";
import { isAtLeast } from "../model/severity.ts";

/** 0 done; 1 a confirmed finding; 2 usage or configuration; 3 the run could not vouch; 130 interrupted. */
export type ExitStatus = 0 | 1 | 2 | 3 | 130;

/** What one result calls for, by the table of findings. */
export function statusOfResult(result: ExplorationResult, failOn: Config["failOnSeverity"]): ExitStatus {
  // A run that could not go on was not interrupted by anybody.
  if (result.stopReason === "interrupted" && !result.errors.some(({ source }) => source === "run")) return 130;
  const failing = failOn === "none" ? [] : result.violations.filter(({ severity }) => isAtLeast(severity, failOn));
  if (failing.some(({ confirmed }) => confirmed)) return 1;
  return failing.length > 0 || result.divergences.length > 0 || result.errors.length > 0 ? 3 : 0;
}

/** An interruption says most about a run; a finding wins over a mistake in another file, and that over doubt. */
const ORDER: readonly ExitStatus[] = [130, 1, 2, 3, 0];

export function worst(statuses: readonly ExitStatus[]): ExitStatus {
  return ORDER.find((status) => statuses.includes(status)) ?? 0;
}
