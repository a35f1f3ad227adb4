/** The messages between the main thread and a lane about races. Plain data only, since they cross threads and machines. */
import type { RaceDelivery, RaceOutcome, RaceSchedule, RaceVerdict } from "../model/results/result.ts";
import type { Severity } from "../model/declare/severity.ts";
import type { LaneFailureKind } from "./lane-messages.ts";

/** The number of trials of a pair of calls, and their delivery. */
export interface RaceEffort {
  /** Number of trials of a pair that is not suspect. */
  readonly first: number;
  /** Number of trials of a suspect pair. */
  readonly trials: number;
  /** `auto`: every delivery that the target's protocol supports, and schedules if a store can hold a connection. */
  readonly delivery: "auto" | RaceDelivery;
  /** Seed for the time offsets and for the order of deliveries. */
  readonly seed: number;
}

/** The calls to send at the same moment in one state. */
export interface RaceRequest {
  /** Action indices from the root state to the state. */
  readonly path: readonly number[];
  readonly draws?: readonly (readonly number[])[] | undefined;
  /** The recorded fingerprint of the state. `undefined`: the fingerprint is not compared. */
  readonly at?: { readonly lo: number; readonly hi: number } | undefined;
  /** Indices of the actions to race. More than two are allowed only if all are the same action. */
  readonly sides: readonly number[];
  readonly effort: RaceEffort;
  /** The only schedule to try. */
  readonly schedule?: RaceSchedule | undefined;
  /** If set: only a hit with this verdict and invariant, or with a worse verdict, counts. */
  readonly wanted?: { readonly verdict: RaceVerdict; readonly invariant: string | undefined } | undefined;
  /** `search`: stop at the first hit that does not also occur in the control arm. `measure`: make all trials, to compute a rate. */
  readonly mode: "search" | "measure";
}

/** A trial whose result no sequential order of the calls gives. */
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

export interface RaceAnswer {
  readonly hit: RaceHit | undefined;
  /** `true` if one call reads or writes data that another call writes, or if no order gives the result of a trial. */
  readonly suspect: boolean;
  /** The outcome of the last trial, in mode `measure`, if no trial was a hit. */
  readonly last?: RaceOutcome | undefined;
  readonly hits: number;
  /** Number of trials in which the calls overlapped. */
  readonly trials: number;
  readonly misses: number;
  readonly deliveries: Readonly<Partial<Record<RaceDelivery, number>>>;
  /** The reason why a hit is not reported, or why nothing was tried. */
  readonly dismissed: "control" | "noise" | "idempotent" | "order_fails" | "not_there" | "one_connection" | undefined;
  /** The first hit that is not reported. */
  readonly dismissedHit?: RaceHit | undefined;
  /** Set if the lane is lost and must be rebuilt. */
  readonly failure: { readonly kind: LaneFailureKind; readonly message: string } | undefined;
}
