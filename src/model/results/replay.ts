import type { RaceDelivery, RaceOutcome, RaceSchedule, RaceVerdict, RecordedStep } from "./result.ts";
import type { Severity } from "../declare/severity.ts";

/** What `replay()` of an agent or of a state graph takes beside the path. */
export interface ReplayOptions {
  /** Path of a `seqqa.yaml`; default: none is read. */
  readonly config?: string;
  /** Where drawn data comes from; default: the agent's own seed, or 0. */
  readonly seed?: number;
  /** Of a finding whose steps draw data by other paths than its own (`seqqa replay --emit vitest` says so): the path of each step, as names of actions. */
  readonly draws?: readonly (readonly string[])[];
  /** Calls to be sent at the same time where the path leads. Default: none are. */
  readonly race?: RaceReplay;
  /** Aborting it ends the replay with an `AbortError`. */
  readonly signal?: AbortSignal;
}

/** Calls that are sent at the same time, again and again, each time from the state that a path leads to. */
export interface RaceReplay {
  /** The names of the actions; more than two only of one action. */
  readonly actions: readonly string[];
  /** How often they are sent together; a race may need luck. Default: `exploration.races.trials`. Following a schedule is done once. */
  readonly trials?: number | undefined;
  /** How they are made to meet. Default: `auto`, what the target speaks. */
  readonly delivery?: "auto" | RaceDelivery | undefined;
  /** Which of them a store holds before which of its writes. Default: none. */
  readonly schedule?: RaceSchedule | undefined;
  /** What counts as seen again: this verdict, of this invariant, or a worse one. Default: any. */
  readonly verdict?: RaceVerdict | undefined;
  readonly invariant?: string | undefined;
}

/** What came of calls that were sent at the same time. */
export interface ReplayedRace {
  /** Trials that came out as no order of the calls does. */
  readonly hits: number;
  /** Trials in which the calls overlapped. */
  readonly trials: number;
  /** Trials in which they did not; they say nothing. */
  readonly misses: number;
  /** What the first of the hits showed; absent where there was none. */
  readonly verdict?: RaceVerdict | undefined;
  readonly invariant?: string | undefined;
  readonly message?: string | undefined;
  /** How the first of the hits came out; where there was none, the last trial. */
  readonly observed?: RaceOutcome | undefined;
  /** Why that there was no hit says nothing; absent where it does. */
  readonly inconclusive?: string | undefined;
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
  /** What came of the calls of `race`; absent where none were asked for, or the path was not executed to its end. */
  readonly race?: ReplayedRace | undefined;
}
