import type { Severity } from "../declare/severity.ts";
import type { RecordedExchange } from "./result.ts";

/** The rules that were checked in one state. */
export interface WalkJudged {
  /** The names of those that hold. */
  readonly held: readonly string[];
  readonly broken: readonly { readonly invariant: string; readonly severity: Severity; readonly message: string }[];
  /** Errors of user code. */
  readonly errors: readonly { readonly code: string; readonly message: string; readonly source: string }[];
}

/** One action that was executed by hand. */
export interface WalkedStep extends WalkJudged {
  readonly action: string;
  /** `skipped`: the action does not apply. `failed`: its code threw. `lost`: a request got no answer. */
  readonly kind: "executed" | "skipped" | "failed" | "lost";
  /** Why it failed or was lost; else empty. */
  readonly message: string;
  /** The HTTP status of the response that the action returned; `null`: it returned none. */
  readonly status: number | null;
  readonly requests: readonly RecordedExchange[];
  /** `- ` for a value before the step, `+ ` for a value after it. */
  readonly changes: readonly string[];
}

/** The state in which a walk is. */
export interface WalkPlace {
  /** See {@link stateId}. */
  readonly id: string;
  /** The differences from the root state. Each line stands for itself: a row, a key of the context, a client's token. */
  readonly lines: readonly string[];
  /** The names of the actions whose preconditions are met. */
  readonly applicable: readonly string[];
}
