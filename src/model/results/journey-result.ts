import type { RecordedExchange } from "./result.ts";

/** The status of a step. `skipped`: an earlier step ended the journey, or the action returned `null`. */
export type StepStatus = "passed" | "failed" | "timed_out" | "skipped";

/** The result of one step, as plain data, so that secrets can be redacted. */
export interface StepResult {
  /** The name of the step. */
  readonly name: string;
  /** The way in which the step ended. */
  readonly status: StepStatus;
  /** Every request in order, including each retry and requests without an answer. */
  readonly requests: readonly RecordedExchange[];
  /** The changes that the step made to the context. */
  readonly context: {
    /** The keys that the step set, with their values. */
    readonly set: Readonly<Record<string, unknown>>;
    /** The keys that the step deleted. */
    readonly deleted: readonly string[];
  };
  /** The arguments of the step, as they were before it ran. */
  readonly args?: unknown;
  /** The reason why the step did not pass, in one sentence, with a remedy if it is known. */
  readonly error?: string | undefined;
  /** The line in the user's code, e.g. `login.ts:12:5`: the line that threw the error, else the line that declares the step. */
  readonly where?: string | undefined;
  /** The duration, in milliseconds. */
  readonly durationMs: number;
}

/** The result of one run of a journey. */
export interface JourneyResult {
  /** The name of the journey. */
  readonly name: string;
  /** The way in which the journey ended: the status of the step that ended it, else `passed`. */
  readonly status: "passed" | "failed" | "timed_out";
  /** All steps, in order. */
  readonly steps: readonly StepResult[];
  /** The duration, in milliseconds. */
  readonly durationMs: number;
  /** Set if the run was interrupted during the journey. The last step that was not skipped then has the status `failed`. */
  readonly interrupted?: true;
}
