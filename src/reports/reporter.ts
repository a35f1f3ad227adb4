import type { ExplorationEvent, TriedStep } from "../engine/events.ts";
import type { JourneyResult, StepResult } from "../model/results/journey-result.ts";
import type { Visibility } from "./redaction/redact.ts";
import type { ReportedExploration, ReportedJourney, RunReport } from "./document/run-report.ts";

/** A stream that a reporter writes to, such as standard output. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  /** `true` if the stream was destroyed, so that written text is lost. */
  readonly destroyed?: boolean | undefined;
  /**
   * Adds a listener to a stream whose `write` returned `false`. `drain`: the stream accepts text again. `error`, `close`: nobody reads from the
   * stream any longer.
   */
  once?(event: "drain" | "error" | "close", listener: () => void): unknown;
  off?(event: "drain" | "error" | "close", listener: () => void): unknown;
}

/**
 * Informs people or programs about a run. The methods are called one after another, `ended` last. `--reporter` accepts a module whose default export
 * is a reporter, a class of reporters, or a function that returns a reporter. The class or function receives {@link ReporterOptions}. All data that
 * the reporter receives is already redacted.
 */
export interface Reporter {
  /** Receives an event of an exploration. `name`: the name of the exploration. */
  event?(name: string, event: ExplorationEvent): void;
  /**
   * Receives each step of the exploration with this name when the step is committed. Without this method, the run does not prepare the data of steps.
   */
  readonly tried?: ((name: string, step: TriedStep) => void) | undefined;
  /** Receives an exploration that has ended. */
  explored?(exploration: ReportedExploration): void;
  /** Receives each step of the journey with this name when the step has ended, and `null` when the first step begins. */
  step?(name: string, step: StepResult | null): void;
  /** Receives the result of a journey as soon as its last step has ended. */
  journeyEnded?(name: string, result: JourneyResult): void;
  /** Receives the data of a journey after all journeys have ended and the stores are restored. */
  journeyDone?(journey: ReportedJourney): void;
  /**
   * Receives a text for standard error about the whole run, or an error. Without this method, the text is written to standard error, unless another
   * reporter receives it.
   */
  message?(text: string): void;
  /** Receives the report when the run has ended. The run waits for the returned promise, at most 30 seconds for a user's reporter. */
  ended(report: RunReport): void | Promise<void>;
}

/** A reporter that has all methods. Only `tried` may be missing, because preparing its data takes time at each step. */
export type WholeReporter = Required<Omit<Reporter, "tried">> & Pick<Reporter, "tried">;

/** The streams that a reporter may write to, and the data that it may show. */
export interface ReporterOptions {
  /** Standard output of the command. */
  readonly stdout: Output;
  /** Standard error of the command. */
  readonly stderr: Output;
  /** The environment of the command. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `true` if `--verbose` was given. */
  readonly verbose: boolean;
  /** The names of fields whose values are hidden, and whether requests and responses are shown. */
  readonly visibility: Visibility;
  /** Returns the time in milliseconds on a clock that never goes back. */
  readonly now?: (() => number) | undefined;
}
