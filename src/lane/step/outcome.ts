import type { ApiResponse } from "../../model/http/response.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import type { Exchange } from "../../model/http/client.ts";
import { recordedAnswer } from "../../model/context/recorded.ts";
import type { ErrorEvent, FindingEvent, LaneFailureKind } from "../../messages/lane-messages.ts";

/** The result of executing an action, before the state is read. */
export interface Outcome {
  /** How the execution ended. `skipped`: the action did not apply. `failed`: user code threw an error. `lost`: the lane can no longer be used. */
  readonly kind: "executed" | "skipped" | "failed" | "lost";
  readonly status: number;
  readonly response: ApiResponse | undefined;
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
  readonly lost: LaneFailureKind | undefined;
  readonly message: string;
  /** `true` if the step may be repeated, because the target closed an idle connection just when a request was sent. */
  readonly mayRepeat?: boolean;
  /** The milliseconds to wait before the step is repeated, because the target was overloaded. `undefined` if the target was not overloaded. */
  readonly repeatAfterMs?: number;
}

const NONE: readonly never[] = Object.freeze([]);

export const SKIPPED_OUTCOME: Outcome = {
  kind: "skipped",
  status: 0,
  response: undefined,
  findings: NONE,
  errors: NONE,
  lost: undefined,
  message: "",
};

/**
 * Returns the outcome of an action that was executed. `response`: `undefined` if an edge of a state graph returned nothing and no request of the step
 * was answered. The status is then 0.
 */
export function executed(response: ApiResponse | undefined, findings: readonly FindingEvent[] = NONE): Outcome {
  return { kind: "executed", status: response?.statusCode ?? 0, response, findings, errors: NONE, lost: undefined, message: "" };
}

export function failed(error: ErrorEvent): Outcome {
  return { kind: "failed", status: 0, response: undefined, findings: NONE, errors: [error], lost: undefined, message: error.message };
}

export function lost(kind: LaneFailureKind, message: string, mayRepeat: boolean = false): Outcome {
  return { kind: "lost", status: 0, response: undefined, findings: NONE, errors: NONE, lost: kind, message, mayRepeat };
}

export function recorded(exchange: Exchange): RecordedExchange {
  if (exchange.kind === "failure") {
    const error = exchange.error instanceof Error ? exchange.error.message : String(exchange.error);
    return { request: exchange.request, error, durationMs: exchange.durationMs };
  }
  return recordedAnswer(exchange.response);
}

/**
 * Returns the requests of a step with their responses. If the World's `api` does not record requests, returns the response that the action returned.
 */
export function exchangesOf(exchanges: readonly Exchange[], outcome: Outcome): readonly RecordedExchange[] {
  if (exchanges.length === 0 && outcome.response !== undefined) return [recorded({ kind: "answer", response: outcome.response })];
  return exchanges.map(recorded);
}
