/** What the main thread and a lane say to each other about races. Plain data only. */
import type { RaceDelivery, RaceOutcome, RaceSchedule, RaceVerdict } from "../model/results/result.ts";
import type { Severity } from "../model/declare/severity.ts";
import type { LaneFailureKind } from "./lane-messages.ts";

/** How long and in which way a pair is tried. */
export interface RaceEffort {
  /** Concurrent trials of a pair that is not suspect. */
  readonly first: number;
  /** Concurrent trials of a suspect pair. */
  readonly trials: number;
  /** `auto`: what the target speaks; a schedule where a store can hold a connection. */
  readonly delivery: "auto" | RaceDelivery;
  /** What offsets and the order of deliveries are drawn from. */
  readonly seed: number;
}

/** Calls to be sent at the same moment in one state. */
export interface RaceRequest {
  /** Action indices from the root. */
  readonly path: readonly number[];
  readonly draws?: readonly (readonly number[])[] | undefined;
  /** The fingerprint on record for the state; `undefined`: it is not compared. */
  readonly at?: { readonly lo: number; readonly hi: number } | undefined;
  /** Action indices; more than two only of one action. */
  readonly sides: readonly number[];
  readonly effort: RaceEffort;
  /** The one schedule to follow. */
  readonly schedule?: RaceSchedule | undefined;
  /** Only a hit with this verdict and this invariant, or a worse verdict, is wanted. */
  readonly wanted?: { readonly verdict: RaceVerdict; readonly invariant: string | undefined } | undefined;
  /** `search`: stop at the first hit that its control arm does not show; `measure`: all trials, for a rate. */
  readonly mode: "search" | "measure";
}

/** A trial that fitted no order. */
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

/** What came of a {@link RaceRequest}. */
export interface RaceAnswer {
  /** The worst one. */
  readonly hit: RaceHit | undefined;
  /** One side reads or writes what the other writes, or a trial fitted no order. */
  readonly suspect: boolean;
  /** With `measure`, where no trial was a hit: how the last one came out. */
  readonly last?: RaceOutcome | undefined;
  readonly hits: number;
  /** Trials that overlapped. */
  readonly trials: number;
  readonly misses: number;
  readonly deliveries: Readonly<Partial<Record<RaceDelivery, number>>>;
  /** Why a hit is not reported, or nothing was tried. */
  readonly dismissed: "control" | "noise" | "idempotent" | "order_fails" | "not_there" | "one_connection" | undefined;
  /** Where a hit is not reported: the first that was not. */
  readonly dismissedHit?: RaceHit | undefined;
  /** The lane is lost, and must be built anew. */
  readonly failure: { readonly kind: LaneFailureKind; readonly message: string } | undefined;
}
