/** The messages between the main thread and a lane about races. Plain data only. */
import type { RaceDelivery, RaceOutcome, RaceSchedule, RaceVerdict } from "../model/results/result.ts";
import type { Severity } from "../model/declare/severity.ts";
import type { LaneFailureKind } from "./lane-messages.ts";

/** How often and with which delivery a pair is tried. */
export interface RaceEffort {
  /** Concurrent trials of a pair that is not suspect. */
  readonly first: number;
  /** Concurrent trials of a suspect pair. */
  readonly trials: number;
  /** `auto`: the deliveries that the target's protocol supports, and schedules if a store can hold a connection. */
  readonly delivery: "auto" | RaceDelivery;
  /** The seed of offsets and of the order of deliveries. */
  readonly seed: number;
}

/** Calls to be sent at the same moment in one state. */
export interface RaceRequest {
  /** Action indices from the root. */
  readonly path: readonly number[];
  readonly draws?: readonly (readonly number[])[] | undefined;
  /** The fingerprint on record for the state; `undefined`: it is not compared. */
  readonly at?: { readonly lo: number; readonly hi: number } | undefined;
  /** Action indices. There are more than two only if all are the same action. */
  readonly sides: readonly number[];
  readonly effort: RaceEffort;
  /** The only schedule to follow. */
  readonly schedule?: RaceSchedule | undefined;
  /** Looks only for a hit with this verdict and invariant, or with a worse verdict. */
  readonly wanted?: { readonly verdict: RaceVerdict; readonly invariant: string | undefined } | undefined;
  /** `search`: stops at the first hit that the control arm does not show. `measure`: makes all trials, for a rate. */
  readonly mode: "search" | "measure";
}

/** A trial whose result no order of the calls gives. */
export interface RaceHit {
  readonly verdict: RaceVerdict;
  readonly invariant: string | undefined;
  readonly severity: Severity;
  readonly message: string;
  readonly observed: RaceOutcome;
  readonly allowed: readonly RaceOutcome[];
  readonly delivery: RaceDelivery;
  readonly schedule: RaceSchedule | undefined;
}

/** The result of a {@link RaceRequest}. */
export interface RaceAnswer {
  /** The worst hit. */
  readonly hit: RaceHit | undefined;
  /** One side reads or writes what the other writes, or no order gives the result of a trial. */
  readonly suspect: boolean;
  /** The outcome of the last trial, with `measure`, if no trial was a hit. */
  readonly last?: RaceOutcome | undefined;
  readonly hits: number;
  /** Trials in which the calls overlapped. */
  readonly trials: number;
  readonly misses: number;
  readonly deliveries: Readonly<Partial<Record<RaceDelivery, number>>>;
  /** The reason why a hit is not reported, or why nothing was tried. */
  readonly dismissed: "control" | "noise" | "idempotent" | "order_fails" | "not_there" | "one_connection" | undefined;
  /** The first hit that is not reported. */
  readonly dismissedHit?: RaceHit | undefined;
  /** The lane is lost, and must be rebuilt. */
  readonly failure: { readonly kind: LaneFailureKind; readonly message: string } | undefined;
}
