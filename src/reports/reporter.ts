import type { ExplorationEvent } from "../engine/events.ts";
import type { Visibility } from "./redact.ts";
import type { ReportedExploration, RunReport } from "./run-report.ts";

/** Where a reporter writes. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** What tells people or programs about a run. All calls come in order; `ended` is the last one. */
export interface Reporter {
  /** Something happened in the exploration of this name. */
  event(name: string, event: ExplorationEvent): void;
  /** An exploration came to its end. */
  explored(exploration: ReportedExploration): void;
  /** Text about the run as a whole, or an error, for standard error. */
  message(text: string): void;
  ended(report: RunReport): void;
}

export interface ReporterOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly verbose: boolean;
  readonly visibility: Visibility;
}
