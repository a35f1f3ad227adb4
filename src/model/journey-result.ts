import type { RecordedExchange } from "./result.ts";

/** `skipped`: an earlier step ended the journey, or the action returned `null`. */
export type StepStatus = "passed" | "failed" | "timed_out" | "skipped";

/** What one step did. Plain data, that secrets can be taken out of. */
export interface StepResult {
  readonly name: string;
  readonly status: StepStatus;
  /** Every request in order, retries each by itself, also those without an answer. */
  readonly requests: readonly RecordedExchange[];
  /** What the step did to the context. */
  readonly context: { readonly set: Readonly<Record<string, unknown>>; readonly deleted: readonly string[] };
  /** As they were before the step. */
  readonly args?: unknown;
  /** Why it did not pass: one sentence, with what to do where that is known. */
  readonly error?: string | undefined;
  /** The user's own line, e.g. `login.ts:12:5`: where it threw, else where the step is declared. */
  readonly where?: string | undefined;
  readonly durationMs: number;
}

/** What came of one run of a journey. */
export interface JourneyResult {
  readonly name: string;
  readonly status: "passed" | "failed" | "timed_out";
  /** All steps, in order. */
  readonly steps: readonly StepResult[];
  readonly durationMs: number;
  /** It was ended from outside; its last step that is not skipped failed for that. */
  readonly interrupted?: true;
}
