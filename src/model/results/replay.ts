import type { RaceDelivery, RaceOutcome, RaceSchedule, RaceVerdict, RecordedStep } from "./result.ts";
import type { Severity } from "../declare/severity.ts";

/** The options of `replay()`, in addition to the path. */
export interface ReplayOptions {
  /** The path of a `seqqa.yaml`. Default: no configuration is read. */
  readonly config?: string;
  /** The seed of the test data. Default: the agent's own seed, else 0. */
  readonly seed?: number;
  /**
   * For each step: the path that seeds its test data, as names of actions. Default: the replayed path itself seeds the data. A shortened path needs
   * this option, because its steps keep the test data of the longer path. For a race, the entries after those of the steps are for the calls: one
   * entry for all calls, or one for each. `seqqa replay --emit vitest` prints the value.
   */
  readonly draws?: readonly (readonly string[])[];
  /** `true`: each step waits for the next second, because the target compares times in whole seconds. Default: `false`. */
  readonly nextSecond?: boolean | undefined;
  /**
   * The name of the rule that the finding broke. If the exploration no longer checks this rule, `replay()` throws `NO_SUCH_RULE`, because a replay
   * without the rule would always pass. For a race with the verdict `invariant`, the rule `race.invariant` is required in the same way. Default: no
   * rule is required.
   */
  readonly rule?: string | undefined;
  /** Calls that are sent at the same time at the end of the path. Default: none. */
  readonly race?: RaceReplay;
  /** A signal that aborts the replay. `replay()` then throws the reason of the signal, by default an `AbortError`. */
  readonly signal?: AbortSignal;
}

/** Calls that are sent at the same time. Each trial starts in the state that the path leads to. */
export interface RaceReplay {
  /** The names of the actions. More than two are possible only if all are the same action. */
  readonly actions: readonly string[];
  /**
   * The number of trials. Several trials are useful, because the calls may overlap only in some of them. Default: `exploration.races.trials`. With a
   * schedule, there is one trial.
   */
  readonly trials?: number | undefined;
  /** The method by which the calls reach the target at the same time. Default `auto`: a method that the target's protocol allows. */
  readonly delivery?: "auto" | RaceDelivery | undefined;
  /** The call that a store holds, and the write before which it is held. Default: none. */
  readonly schedule?: RaceSchedule | undefined;
  /**
   * The verdict to look for. A trial is a hit if it has this verdict or a worse verdict. For the verdict `invariant`, the broken rule must also be
   * the rule that the property `invariant` names. Default: any verdict is a hit.
   */
  readonly verdict?: RaceVerdict | undefined;
  readonly invariant?: string | undefined;
}

/** The result of calls that were sent at the same time. */
export interface ReplayedRace {
  /** The number of trials with a result that no order of the calls gives. */
  readonly hits: number;
  /** The number of trials in which the calls overlapped. */
  readonly trials: number;
  /** The number of trials in which the calls did not overlap. Such trials prove nothing. */
  readonly misses: number;
  /** The verdict of the first trial that showed the race; absent if none did. */
  readonly verdict?: RaceVerdict | undefined;
  readonly invariant?: string | undefined;
  readonly message?: string | undefined;
  /** The result of the first trial that showed the race, or of the last trial if none did. */
  readonly observed?: RaceOutcome | undefined;
  /** The reason why a replay without hits does not prove that the race was fixed. Absent if the replay proves it, or if there was a hit. */
  readonly inconclusive?: string | undefined;
}

/** The result of executing a path again from the root state. */
export interface ReplayResult {
  /** The steps that were executed, including the step at which the replay ended early. */
  readonly steps: readonly RecordedStep[];
  /** `true` if the whole path was executed. `false` if an action did not apply or failed; that action is the last of `steps`. */
  readonly completed: boolean;
  /** The rules that the last step broke: invariants, and built-in rules such as `<action>_server_error`. */
  readonly violations: readonly { readonly invariant: string; readonly severity: Severity; readonly message: string }[];
  /** The errors that user code threw. */
  readonly errors: readonly { readonly code: string; readonly message: string; readonly source: string }[];
  /** The result of the calls in `race`; absent if there were none, or if the path was not executed completely. */
  readonly race?: ReplayedRace | undefined;
}
