/**
 * The messages between the main thread and a lane about fault tests. A fault test makes the writes of a call fail. Plain data only, since messages
 * cross threads and machines.
 */
import type { FaultKind, FaultPoint, FaultVerdict, RecordedExchange } from "../model/results/result.ts";
import type { Severity } from "../model/declare/severity.ts";
import type { TargetEnd } from "../model/results/target-end.ts";
import type { LaneFailureKind } from "./lane-messages.ts";

/** Asks a lane to execute one call repeatedly in one state, and to make a different write of the call fail each time. */
export interface FaultRequest {
  /** Indices of the actions that lead from the root state to the state of the call. */
  readonly path: readonly number[];
  readonly draws?: readonly (readonly number[])[] | undefined;
  /** The recorded fingerprint of the state, with which the lane compares the state that it reaches. `undefined`: nothing is compared. */
  readonly at?: { readonly lo: number; readonly hi: number } | undefined;
  readonly action: number;
  readonly kinds: readonly FaultKind[];
  /** Patterns for names of tables. When a call fails, partial changes of these tables are accepted. */
  readonly bestEffort: readonly string[];
  /** Index of the first fault point to try. If a lane was lost, the rebuilt lane continues after the fault point at which it was lost. */
  readonly from: number;
  /** `true`: only fault points at which the target's process is killed. `false`: only the remaining fault points. Default: all fault points. */
  readonly restarts?: boolean | undefined;
  /** The only fault point to try. `undefined`: all fault points are tried in turn. */
  readonly only?: FaultPoint | undefined;
}

/** A fault after which the target misbehaved. */
export interface FaultHit {
  readonly point: FaultPoint;
  readonly verdict: FaultVerdict;
  readonly severity: Severity;
  readonly message: string;
  /** Name of the rule that is broken after the fault. `undefined` if the misbehaviour is not a broken rule. */
  readonly invariant?: string | undefined;
  /** The status of the answer to the call. 0 without an answer. */
  readonly status: number;
  readonly exchanges: readonly RecordedExchange[];
  /** The differences between the state before the call and the state after the fault, one line for each. */
  readonly changes: readonly string[];
  /** How the target's process ended, if it ended by itself after the fault. The main thread sets this member. */
  readonly target?: TargetEnd | undefined;
}

export interface FaultAnswer {
  /** Number of fault points of the call, including those that were not tried. */
  readonly points: number;
  /** Number of writes at which the target's process could be killed. */
  readonly killable: number;
  /** Index of the first fault point that was not tried. `undefined` if all were tried. */
  readonly next: number | undefined;
  readonly tried: number;
  /** Maps each reason for which fault points could not be judged to the number of these fault points. */
  readonly skipped: Readonly<Record<string, number>>;
  /** Maps each store and kind of fault that cannot be tested to the reason. */
  readonly missing: Readonly<Record<string, string>>;
  readonly hits: readonly FaultHit[];
  /** The reason why no fault point of the call could be tested. `undefined` if the call was tested. */
  readonly dismissed: "not_there" | "call_fails" | "skipped" | "unsteady" | undefined;
  /** The reason why the lane was lost. `undefined` if the lane can still be used. */
  readonly failure: { readonly kind: LaneFailureKind; readonly message: string } | undefined;
}
