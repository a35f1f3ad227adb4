import type { FindingEvent, LaneFailureKind } from "../../messages/lane-messages.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import type { Facts } from "../../state/canonical/facts.ts";

export interface CallEnd {
  readonly action: string;
  /** The index of the call, if calls of the same action draw different test data. The calls are then not interchangeable. */
  readonly data?: number | undefined;
  readonly kind: "executed" | "skipped" | "failed" | "lost";
  /** The status of the last answer; 0 without an answer. */
  readonly status: number;
  /** The body of the last answer as text; `undefined` without an answer. */
  readonly body: string | undefined;
  readonly exchanges: readonly RecordedExchange[];
  readonly lost: LaneFailureKind | undefined;
  /** `true` for a 5xx status, or a server error of GraphQL, that the action does not declare as expected. */
  readonly serverError: boolean;
  /** `true` if the target refused the call: 4xx, 503, or a 2xx answer whose body refuses it (errors of GraphQL, `{ "ok": false }`). */
  readonly refused: boolean;
}

/** The window in which calls were executed, on the target's clock. */
export interface Executed {
  /** The time before the lane was brought to the state in which the calls were executed, in milliseconds since 1970. */
  readonly startMs: number;
  /** The time after the resulting state was read. */
  readonly endMs: number;
  /** The state in which the calls were executed. */
  readonly before: Facts;
}

/** The content of a state, with the execution that led to it. Without an execution, the times of the state are not compared. */
export interface ExecutedFacts extends Facts {
  readonly executed?: Executed | undefined;
}

/** One execution of the calls of a race, one after another or simultaneously, and the resulting state. */
export interface Execution {
  /** Indices of the calls in the order in which they were executed. Calls that were left out are missing. `null` if the calls were simultaneous. */
  readonly order: readonly number[] | null;
  /** The result of each call, by its index; `undefined` for a call that was left out. */
  readonly calls: readonly (CallEnd | undefined)[];
  /**
   * The resulting states: one for each order of merging the calls' contexts that makes a difference. There is one state if the calls were executed
   * one after another.
   */
  readonly states: readonly MergedState[];
  readonly broken: readonly FindingEvent[];
  /** The content of the state after each call. Empty if the calls were simultaneous. */
  readonly after: readonly ExecutedFacts[];
}

/** Returns `true` if calls are interchangeable: all have the same action and the same test data. */
export function areAlike(calls: Execution["calls"]): boolean {
  return new Set(calls.map((call) => JSON.stringify([call!.action, call!.data]))).size === 1;
}

/** A state whose context contains the changes of all calls. `merged`: the order in which the changes were merged, as indices of the calls. */
export interface MergedState {
  readonly merged: readonly number[];
  readonly facts: ExecutedFacts;
}
