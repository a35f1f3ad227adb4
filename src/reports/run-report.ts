import type { ExplorationResult } from "../model/result.ts";
import { redactResult, type Visibility } from "./redact.ts";
import { resultJson } from "./result-json.ts";

/** One exploration of a run. */
export interface ReportedExploration {
  /** The agent's name, else the file's. */
  readonly name: string;
  /** Relative to where the command was started. */
  readonly file: string;
  readonly result: ExplorationResult;
}

/** An exploration that ended without a result. */
export interface ReportedFailure {
  readonly file: string;
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Everything that a run found. */
export interface RunReport {
  readonly version: string;
  readonly explorations: readonly ReportedExploration[];
  readonly failures: readonly ReportedFailure[];
  readonly exitStatus: number;
}

/** The document of `results.json` and of `--reporter json`. */
export function runDocument(report: RunReport, visibility: Visibility): object {
  return {
    seqqa: report.version,
    explorations: report.explorations.map(({ name, file, result }) => ({ name, file, ...resultJson(redactResult(result, visibility)) })),
    journeys: [],
    failures: report.failures.map(({ file, code, message, hint }) => ({ file, code, message, hint })),
    exitStatus: report.exitStatus,
  };
}
