import type { RaceDelivery, RaceOutcome, RaceSchedule, RaceVerdict, RecordedStep } from "./result.ts";
import type { Severity } from "../declare/severity.ts";

/** The options that `replay()` of an agent or of a state graph takes beside the path. */
export interface ReplayOptions {
  /** Path of a `seqqa.yaml`; default: none is read. */
  readonly config?: string;
  /** The seed of drawn data; default: the agent's own seed, or 0. */
  readonly seed?: number;
  /**
   * For a finding whose steps draw data by other paths than its own (`seqqa replay --emit vitest` tells): the path of each step, as names of actions.
   */
  readonly draws?: readonly (readonly string[])[];
  /** Calls that are sent at the same time at the end of the path. Default: none. */
  readonly race?: RaceReplay;
  /** Aborting it ends the replay with an `AbortError`. */
  readonly signal?: AbortSignal;
}

/** Calls that are sent at the same time, repeatedly, each time from the state that a path leads to. */
export interface RaceReplay {
  /** The names of the actions; more than two only if all are the same action. */
  readonly actions: readonly string[];
  /** The number of trials, because a race may need luck. Default: `exploration.races.trials`. A schedule is followed once. */
  readonly trials?: number | undefined;
  /** How the calls are made to meet. Default: `auto`, a delivery that the target's protocol allows. */
  readonly delivery?: "auto" | RaceDelivery | undefined;
  /** Names the call that a store holds, and the write before which it is held. Default: none. */
  readonly schedule?: RaceSchedule | undefined;
  /** Only this verdict, of this invariant, or a worse one counts as seen again. Default: any. */
  readonly verdict?: RaceVerdict | undefined;
  readonly invariant?: string | undefined;
}

/** The result of calls that were sent at the same time. */
export interface ReplayedRace {
  /** Trials with a result that no order of the calls gives. */
  readonly hits: number;
  /** Trials in which the calls overlapped. */
  readonly trials: number;
  /** Trials in which the calls did not overlap; they prove nothing. */
  readonly misses: number;
  /** The verdict of the first hit; absent without hits. */
  readonly verdict?: RaceVerdict | undefined;
  readonly invariant?: string | undefined;
  readonly message?: string | undefined;
  /** The result of the first hit; without hits, of the last trial. */
  readonly observed?: RaceOutcome | undefined;
  /** Why the lack of hits proves nothing; absent where it proves something. */
  readonly inconclusive?: string | undefined;
}

/** The result of executing a path again from a clean start. */
export interface ReplayResult {
  /** The steps that were executed, and the step at which the path broke off. */
  readonly steps: readonly RecordedStep[];
  /** The whole path was executed. `false`: an action did not apply, or failed; it is the last of `steps`. */
  readonly completed: boolean;
  /** The rules that the last step broke: invariants, and the built-in ones such as `<action>_server_error`. */
  readonly violations: readonly { readonly invariant: string; readonly severity: Severity; readonly message: string }[];
  /** The errors that user code threw. */
  readonly errors: readonly { readonly code: string; readonly message: string; readonly source: string }[];
  /** The result of the calls of `race`; absent if none were asked for, or if the path was not executed to its end. */
  readonly race?: ReplayedRace | undefined;
}
