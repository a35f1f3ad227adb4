/** The messages between the main thread and a lane about races. Plain data only, since messages cross threads and machines. */
import type { RaceDelivery, RaceOutcome, RaceSchedule, RaceVerdict } from "../model/results/result.ts";
import type { Severity } from "../model/declare/severity.ts";
import type { StateView } from "../state/compare/what-differs.ts";
import type { LaneFailureKind } from "./lane-messages.ts";

/** The number of trials in which calls are sent simultaneously to find a race, and the settings of these trials. */
export interface RaceEffort {
  /** Number of trials for two calls that probably do not affect each other. */
  readonly first: number;
  /** Number of trials for two calls that use the same data, or for which one of the first trials had an unexpected result. */
  readonly trials: number;
  /**
   * The way in which requests reach the target. `auto`: every delivery that the target's protocol supports, and also orders of writes (schedules) if
   * a store can hold a connection.
   */
  readonly delivery: "auto" | RaceDelivery;
  /** Seed for the random time offsets between the calls and for the order of deliveries. */
  readonly seed: number;
}

/** Asks a lane to send calls simultaneously in one state. */
export interface RaceRequest {
  /** Indices of the actions that lead from the root state to the state in which the calls are sent. */
  readonly path: readonly number[];
  /**
   * The paths from which test data is drawn: one path for each step of `path`, then one for all calls, or one for each call. `undefined`: all data is
   * drawn from `path` itself.
   */
  readonly draws?: readonly (readonly number[])[] | undefined;
  /** The recorded fingerprint of the state, with which the lane compares the reached state. `undefined`: nothing is compared. */
  readonly at?: { readonly lo: number; readonly hi: number } | undefined;
  /** The state with the fingerprint `at`, for the message if the lane reaches a different state. Absent if it is not known. */
  readonly before?: StateView | undefined;
  /** Indices of the actions that are executed simultaneously. More than two actions are only allowed if all of them are the same action. */
  readonly sides: readonly number[];
  readonly effort: RaceEffort;
  /** The only order of writes (schedule) to try. `undefined`: all schedules are tried. */
  readonly schedule?: RaceSchedule | undefined;
  /** If set, the lane only searches for a race with this verdict and invariant, or with a worse verdict. */
  readonly wanted?: { readonly verdict: RaceVerdict; readonly invariant: string | undefined } | undefined;
  /**
   * `true` if an earlier trial broke a rule. If no trial breaks the rule again, the lane repeats the orders of the calls, to find out if they sometimes
   * break it, too. Only used in mode `measure`.
   */
  readonly isSeen?: boolean | undefined;
  /**
   * `search`: stop at the first race that does not also occur when the calls are sent one after the other. `measure`: make all trials, to compute how
   * often the race occurs.
   */
  readonly mode: "search" | "measure";
}

/** A trial that showed a race: its result cannot be explained by any sequential order of the calls. */
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
  /** `true` if one call uses data that another call writes, or if the result of a trial cannot be explained by any order of the calls. */
  readonly suspect: boolean;
  /** `true` if the calls drew test data. */
  readonly drew: boolean;
  /** The outcome of the last trial. Only set in mode `measure`, if no trial showed a race. */
  readonly last?: RaceOutcome | undefined;
  readonly hits: number;
  /** Number of trials in which the calls overlapped in time. */
  readonly trials: number;
  readonly misses: number;
  readonly deliveries: Readonly<Partial<Record<RaceDelivery, number>>>;
  /**
   * The reason why a race that a trial showed is not reported, or why no trial was made. `undefined` if the race is reported, or if no trial showed a
   * race.
   */
  readonly dismissed: "control" | "control_overlaps" | "noise" | "idempotent" | "order_fails" | "not_there" | "one_connection" | undefined;
  /** The state in which the calls were sent. Only set if a trial showed a race in a state with a recorded fingerprint. */
  readonly before?: StateView | undefined;
  /** A sentence about the difference between {@link RaceRequest.before} and the state that the path led to. Only set for `not_there`. */
  readonly difference?: string | undefined;
  /**
   * The first trial with a race that is not reported. `dismissed` contains the reason, or `failure` if the lane was lost before the reason was known.
   */
  readonly dismissedHit?: RaceHit | undefined;
  /** The reason why the lane was lost. `undefined` if the lane can still be used. */
  readonly failure: { readonly kind: LaneFailureKind; readonly message: string } | undefined;
}
