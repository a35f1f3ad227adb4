import type { RecordedExchange } from "./result.ts";

/** `skipped`: an earlier step ended the journey, or the action returned `null`. */
export type StepStatus = "passed" | "failed" | "timed_out" | "skipped";

/** What one step did. Plain data, that secrets can be taken out of. */
export interface StepResult {
  /** The step's name. */
  readonly name: string;
  /** What came of it. */
  readonly status: StepStatus;
  /** Every request in order, retries each by itself, also those without an answer. */
  readonly requests: readonly RecordedExchange[];
  /** What the step did to the context. */
  readonly context: {
    /** Keys that it set, with their values. */
    readonly set: Readonly<Record<string, unknown>>;
    /** Keys that it deleted. */
    readonly deleted: readonly string[];
  };
  /** As they were before the step. */
  readonly args?: unknown;
  /** Why it did not pass: one sentence, with what to do where that is known. */
  readonly error?: string | undefined;
  /** The user's own line, e.g. `login.ts:12:5`: where it threw, else where the step is declared. */
  readonly where?: string | undefined;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** What came of one run of a journey. */
export interface JourneyResult {
  /** The journey's name. */
  readonly name: string;
  /** What came of it: that of the step which ended it, else `passed`. */
  readonly status: "passed" | "failed" | "timed_out";
  /** All steps, in order. */
  readonly steps: readonly StepResult[];
  /** Milliseconds. */
  readonly durationMs: number;
  /** It was ended from outside; its last step that is not skipped failed for that. */
  readonly interrupted?: true;
}
