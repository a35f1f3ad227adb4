import type { RecordedExchange } from "./result.ts";

/** `skipped`: an earlier step ended the journey, or the action returned `null`. */
export type StepStatus = "passed" | "failed" | "timed_out" | "skipped";

/** The result of one step. Plain data, so that secrets can be redacted. */
export interface StepResult {
  /** The step's name. */
  readonly name: string;
  /** How the step ended. */
  readonly status: StepStatus;
  /** Every request in order, each retry by itself, also requests without an answer. */
  readonly requests: readonly RecordedExchange[];
  /** The changes that the step made to the context. */
  readonly context: {
    /** Keys that the step set, with their values. */
    readonly set: Readonly<Record<string, unknown>>;
    /** Keys that the step deleted. */
    readonly deleted: readonly string[];
  };
  /** The arguments of the step, as they were before it. */
  readonly args?: unknown;
  /** Why the step did not pass: one sentence, with a remedy where it is known. */
  readonly error?: string | undefined;
  /** The user's own line, e.g. `login.ts:12:5`: where the step threw, else where it is declared. */
  readonly where?: string | undefined;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** The result of one run of a journey. */
export interface JourneyResult {
  /** The journey's name. */
  readonly name: string;
  /** How the journey ended: the status of the step that ended it, else `passed`. */
  readonly status: "passed" | "failed" | "timed_out";
  /** All steps, in order. */
  readonly steps: readonly StepResult[];
  /** Milliseconds. */
  readonly durationMs: number;
  /** The journey was interrupted from outside. Its last step that is not skipped failed because of that. */
  readonly interrupted?: true;
}
