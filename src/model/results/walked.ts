import type { Severity } from "../declare/severity.ts";
import type { RecordedExchange } from "./result.ts";

/** The results of checking all rules in the current state. */
export interface WalkJudged {
  /** The names of the rules that hold. */
  readonly held: readonly string[];
  readonly broken: readonly { readonly invariant: string; readonly severity: Severity; readonly message: string }[];
  readonly errors: readonly WalkError[];
}

/** An error that user code threw. */
export interface WalkError {
  readonly code: string;
  readonly message: string;
  readonly source: string;
  readonly stack?: string | undefined;
  /** The line in the user's code, e.g. `shop.explore.ts:12:5`. */
  readonly where?: string | undefined;
}

/** An action that the user executed by hand. */
export interface WalkedStep extends WalkJudged {
  readonly action: string;
  /** The way in which the action ended. `skipped`: the action does not apply. `failed`: its code threw. `lost`: a request got no answer. */
  readonly kind: "executed" | "skipped" | "failed" | "lost";
  /** The reason why the action failed or was lost; else empty. */
  readonly message: string;
  /** The HTTP status of the response that the action returned; `null` if it returned none. */
  readonly status: number | null;
  readonly requests: readonly RecordedExchange[];
  /** The changes to the state: `- ` for a value before the step, `+ ` for a value after it. */
  readonly changes: readonly string[];
}

/** The state to which the user's manually executed actions have led. */
export interface WalkPlace {
  /** The id of the state; see {@link stateId}. */
  readonly id: string;
  /** The state, one line for each row, context key or client token. Rows are relative to the root state. */
  readonly lines: readonly string[];
  /** The differences from the root state. A row begins with `+ ` or `- `, and so does a value that was removed. */
  readonly changes: readonly string[];
  /** The names of the actions that can be executed in this state, because their preconditions are met. */
  readonly applicable: readonly string[];
}
