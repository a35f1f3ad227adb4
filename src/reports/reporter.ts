import type { ExplorationEvent } from "../engine/events.ts";
import type { JourneyResult, StepResult } from "../model/results/journey-result.ts";
import type { Visibility } from "./redaction/redact.ts";
import type { ReportedExploration, ReportedJourney, RunReport } from "./document/run-report.ts";

/** Where a reporter writes. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  /** Of a stream: nobody takes anything any more. */
  readonly destroyed?: boolean | undefined;
  /** Of a stream: `write` said `false`, and what was written is taken by now (`drain`), or nobody takes it any more. */
  once?(event: "drain" | "error" | "close", listener: () => void): unknown;
  off?(event: "drain" | "error" | "close", listener: () => void): unknown;
}

/** What tells people or programs about a run. All calls come in order; `ended` is the last one. */
export interface Reporter {
  /** Something happened in the exploration of this name. */
  event(name: string, event: ExplorationEvent): void;
  /** An exploration came to its end. */
  explored(exploration: ReportedExploration): void;
  /** A step of the journey of this name came to its end; `null`: its first step begins. */
  step(name: string, step: StepResult | null): void;
  /** A journey came to its end. */
  journeyEnded(name: string, result: JourneyResult): void;
  /** What is known of a journey when all of them are over, and its stores are put back. */
  journeyDone(journey: ReportedJourney): void;
  /** Text about the run as a whole, or an error, for standard error. */
  message(text: string): void;
  ended(report: RunReport): void | Promise<void>;
}

export interface ReporterOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly verbose: boolean;
  readonly visibility: Visibility;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: (() => number) | undefined;
}
