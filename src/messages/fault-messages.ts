/** The messages between the main thread and a lane about faults. Plain data only. */
import type { FaultKind, FaultPoint, FaultVerdict, RecordedExchange } from "../model/results/result.ts";
import type { Severity } from "../model/declare/severity.ts";
import type { LaneFailureKind } from "./lane-messages.ts";

/** One call in one state whose writes are made to fail, one at a time. */
export interface FaultRequest {
  /** Action indices from the root. */
  readonly path: readonly number[];
  readonly draws?: readonly (readonly number[])[] | undefined;
  /** The fingerprint on record for the state; `undefined`: it is not compared. */
  readonly at?: { readonly lo: number; readonly hi: number } | undefined;
  readonly action: number;
  readonly kinds: readonly FaultKind[];
  /** Patterns of tables that a failed call may leave as they are neither before nor after it. */
  readonly bestEffort: readonly string[];
  /** Points before this one, in the order of the lane, are left out: a lost lane answered for them. */
  readonly from: number;
  /** `true`: only points at which the target is killed; `false`: only the others. Default: all. */
  readonly restarts?: boolean | undefined;
  /** The only point to try. */
  readonly only?: FaultPoint | undefined;
}

/** A fault that the target did not survive as it should. */
export interface FaultHit {
  readonly point: FaultPoint;
  readonly verdict: FaultVerdict;
  readonly severity: Severity;
  readonly message: string;
  /** The rule that breaks, if that is the reason. */
  readonly invariant?: string | undefined;
  /** The status of the call's answer; 0: none. */
  readonly status: number;
  readonly exchanges: readonly RecordedExchange[];
  /** The differences between the state before the call and after the fault, a line each. */
  readonly changes: readonly string[];
}

/** The result of a {@link FaultRequest}. */
export interface FaultAnswer {
  /** All points of this call, tried or not. */
  readonly points: number;
  /** Writes at which the target could be killed. */
  readonly killable: number;
  /** The first point that was not tried; `undefined`: there is none. */
  readonly next: number | undefined;
  readonly tried: number;
  /** Points that could not be judged, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** Kinds of faults that do not apply, by store and kind, with the reason. */
  readonly missing: Readonly<Record<string, string>>;
  readonly hits: readonly FaultHit[];
  /** The reason why the call could not be judged at all. */
  readonly dismissed: "not_there" | "call_fails" | "skipped" | "unsteady" | undefined;
  /** The lane is lost, and must be rebuilt. */
  readonly failure: { readonly kind: LaneFailureKind; readonly message: string } | undefined;
}
