/** The messages between the main thread and a lane about faults. Plain data only, since they cross threads and machines. */
import type { FaultKind, FaultPoint, FaultVerdict, RecordedExchange } from "../model/results/result.ts";
import type { Severity } from "../model/declare/severity.ts";
import type { LaneFailureKind } from "./lane-messages.ts";

/** A call in one state whose writes are made to fail, one at a time. */
export interface FaultRequest {
  /** Action indices from the root state to the state. */
  readonly path: readonly number[];
  readonly draws?: readonly (readonly number[])[] | undefined;
  /** The recorded fingerprint of the state. `undefined`: the fingerprint is not compared. */
  readonly at?: { readonly lo: number; readonly hi: number } | undefined;
  readonly action: number;
  readonly kinds: readonly FaultKind[];
  /** Patterns of tables that a failed call may leave half changed. */
  readonly bestEffort: readonly string[];
  /** Index of the first fault point to try, in the lane's order. A lane that was lost has answered for the points before it. */
  readonly from: number;
  /** `true`: only points at which the target is killed. `false`: only the other points. Default: all points. */
  readonly restarts?: boolean | undefined;
  /** The only fault point to try. */
  readonly only?: FaultPoint | undefined;
}

/** A fault after which the target did not behave as it should. */
export interface FaultHit {
  readonly point: FaultPoint;
  readonly verdict: FaultVerdict;
  readonly severity: Severity;
  readonly message: string;
  /** The rule that broke, if a broken rule is the reason. */
  readonly invariant?: string | undefined;
  /** The status of the call's answer; 0 without an answer. */
  readonly status: number;
  readonly exchanges: readonly RecordedExchange[];
  /** The differences between the state before the call and the state after the fault, one per line. */
  readonly changes: readonly string[];
}

export interface FaultAnswer {
  /** Number of all fault points of the call, tried or not. */
  readonly points: number;
  /** Number of writes at which the target could be killed. */
  readonly killable: number;
  /** Index of the first point that was not tried. `undefined` if all were tried. */
  readonly next: number | undefined;
  readonly tried: number;
  /** Number of points that could not be judged, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** The reasons why kinds of faults do not apply, by store and kind. */
  readonly missing: Readonly<Record<string, string>>;
  readonly hits: readonly FaultHit[];
  /** The reason why the call could not be judged at all. */
  readonly dismissed: "not_there" | "call_fails" | "skipped" | "unsteady" | undefined;
  /** Set if the lane is lost and must be rebuilt. */
  readonly failure: { readonly kind: LaneFailureKind; readonly message: string } | undefined;
}
