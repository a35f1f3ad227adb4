import type { RecordedStep } from "./result.ts";
import type { Severity } from "./severity.ts";

/** What `replay()` of an agent or of a state graph takes beside the path. */
export interface ReplayOptions {
  /** Path of a `seqqa.yaml`; default: none is read. */
  readonly config?: string;
  /** Where drawn data comes from; default: the agent's own seed, or 0. */
  readonly seed?: number;
  /** Of a finding whose steps draw data by other paths than its own (`seqqa replay --emit vitest` says so): the path of each step, as names of actions. */
  readonly draws?: readonly (readonly string[])[];
  /** Aborting it ends the replay with an `AbortError`. */
  readonly signal?: AbortSignal;
}

/** What a path did when it was executed again from a clean start. */
export interface ReplayResult {
  /** The steps that were executed, and the one that the path broke off at. */
  readonly steps: readonly RecordedStep[];
  /** The whole path was executed. `false`: an action did not apply, or failed; it is the last one of `steps`. */
  readonly completed: boolean;
  /** The rules that the last step broke: invariants, and the built-in ones such as `<action>_server_error`. */
  readonly violations: readonly { readonly invariant: string; readonly severity: Severity; readonly message: string }[];
  /** What user code threw. */
  readonly errors: readonly { readonly code: string; readonly message: string; readonly source: string }[];
}
