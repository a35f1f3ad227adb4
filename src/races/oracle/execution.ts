import type { FindingEvent, LaneFailureKind } from "../../messages/lane-messages.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import type { Facts } from "../../state/canonical/facts.ts";

export interface CallEnd {
  readonly action: string;
  readonly kind: "executed" | "skipped" | "failed" | "lost";
  /** The status of the last answer; 0 without an answer. */
  readonly status: number;
  /** The body of the last answer as text; `undefined` without an answer. */
  readonly body: string | undefined;
  readonly exchanges: readonly RecordedExchange[];
  readonly lost: LaneFailureKind | undefined;
  /** `true` for a 5xx status that the action does not declare as expected. */
  readonly serverError: boolean;
}

/** One execution of a race's calls, one after another or at the same time, and the state afterwards. */
export interface Execution {
  /** Indices of the calls in the order in which they were made. Calls that were not made are missing. `null` if they were made at the same time. */
  readonly order: readonly number[] | null;
  /** By index of the call; `undefined` for a call that was not made. */
  readonly calls: readonly (CallEnd | undefined)[];
  /** The state afterwards, once for each order of merging the calls' contexts that makes a difference. Executions with an `order` have one entry. */
  readonly states: readonly MergedState[];
  readonly broken: readonly FindingEvent[];
  /** The state after each call. Empty if the calls were made at the same time. */
  readonly after: readonly Facts[];
}

/** A state whose context holds the changes of all calls, merged in the order `merged`. */
export interface MergedState {
  readonly merged: readonly number[];
  readonly facts: Facts;
}
