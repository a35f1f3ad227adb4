import type { ExplorationEvent, TriedStep } from "../engine/events.ts";
import type { JourneyResult, StepResult } from "../model/results/journey-result.ts";
import type { Visibility } from "./redaction/redact.ts";
import type { ReportedExploration, ReportedJourney, RunReport } from "./document/run-report.ts";

/** The destination of a reporter's output. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  /** For a stream: nobody reads from it any longer. */
  readonly destroyed?: boolean | undefined;
  /**
   * For a stream whose `write` returned `false`: the written text has been read (`drain`), or nobody reads from the stream any longer (`error`,
   * `close`).
   */
  once?(event: "drain" | "error" | "close", listener: () => void): unknown;
  off?(event: "drain" | "error" | "close", listener: () => void): unknown;
}

/**
 * Informs people or programs about a run. All calls come in order; `ended` is the last one. A module whose default export is a reporter, a class of one
 * or a function that returns one can be named in `--reporter`: the class or function is given {@link ReporterOptions}, and everything that its reporter
 * receives is redacted already.
 */
export interface Reporter {
  /** An event in the exploration of this name. */
  event?(name: string, event: ExplorationEvent): void;
  /** A step of the exploration of this name was committed. A reporter without this method costs a run nothing. */
  readonly tried?: ((name: string, step: TriedStep) => void) | undefined;
  /** An exploration has ended. */
  explored?(exploration: ReportedExploration): void;
  /** A step of the journey of this name has ended; `null`: its first step begins. */
  step?(name: string, step: StepResult | null): void;
  /** A journey has ended. */
  journeyEnded?(name: string, result: JourneyResult): void;
  /** Receives the final data of a journey when all journeys are over and its stores are restored. */
  journeyDone?(journey: ReportedJourney): void;
  /** Text about the run as a whole, or an error, for standard error. Default: it is written there, unless another reporter does so. */
  message?(text: string): void;
  /** The run is over. It waits for the returned promise, for at most 30 seconds if the reporter is the user's. */
  ended(report: RunReport): void | Promise<void>;
}

/** A reporter with all of its methods, but for the one that costs time at each step. */
export type WholeReporter = Required<Omit<Reporter, "tried">> & Pick<Reporter, "tried">;

/** The streams that a reporter may write to, and what the run was asked to show. */
export interface ReporterOptions {
  /** Standard output of the command. */
  readonly stdout: Output;
  /** Standard error of the command. */
  readonly stderr: Output;
  /** The environment of the command. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `--verbose` was given. */
  readonly verbose: boolean;
  /** The data that may be shown: fields to redact, and whether requests and responses are shown. */
  readonly visibility: Visibility;
  /** Milliseconds of a monotonic clock. */
  readonly now?: (() => number) | undefined;
}
