import type { FindingEvent, LaneFailureKind } from "../../messages/lane-messages.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import type { Facts } from "../../state/canonical/facts.ts";

/** The end of one call. */
export interface CallEnd {
  readonly action: string;
  readonly kind: "executed" | "skipped" | "failed" | "lost";
  /** The status of its last answer; 0 without one. */
  readonly status: number;
  /** The body of its last answer as text; `undefined` without one. */
  readonly body: string | undefined;
  readonly exchanges: readonly RecordedExchange[];
  readonly lost: LaneFailureKind | undefined;
  /** `true` for a server error that is not an expected status. */
  readonly serverError: boolean;
}

/** One execution of the calls of a race, one after another or at the same time, and the state after it. */
export interface Execution {
  /** Indices of the sides, in the order in which they were called; missing ones were not called. `null`: all at the same time. */
  readonly order: readonly number[] | null;
  /** By side; `undefined` if it was not called. */
  readonly calls: readonly (CallEnd | undefined)[];
  /**
   * The state after it, with the contexts of the sides merged in each order that matters; one entry where the sides do not set the same keys. With
   * `order`, one.
   */
  readonly states: readonly MergedState[];
  /** The rules that do not hold. */
  readonly broken: readonly FindingEvent[];
  /** With `order`: the state after each of its calls. */
  readonly after: readonly Facts[];
}

/** A state with the sides' contexts merged in one order. */
export interface MergedState {
  readonly merged: readonly number[];
  readonly facts: Facts;
}
