import type { ApiResponse } from "../../model/http/response.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import type { Exchange } from "../../model/http/client.ts";
import { recordedAnswer } from "../../model/context/recorded.ts";
import type { ErrorEvent, FindingEvent, LaneFailureKind } from "../../messages/lane-messages.ts";

/** What one action did, before the state is looked at. */
export interface Outcome {
  /** `lost`: the lane cannot go on. */
  readonly kind: "executed" | "skipped" | "failed" | "lost";
  readonly status: number;
  readonly response: ApiResponse | undefined;
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
  readonly lost: LaneFailureKind | undefined;
  readonly message: string;
  /** Lost for an idle connection that the target closed: the whole step may be made once more. */
  readonly mayRepeat?: boolean;
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

/** Without a response (an edge of a state graph may return nothing) the status is 0. */
export function executed(response: ApiResponse | undefined, findings: readonly FindingEvent[] = NONE): Outcome {
  return { kind: "executed", status: response?.statusCode ?? 0, response, findings, errors: NONE, lost: undefined, message: "" };
}

export function failed(error: ErrorEvent): Outcome {
  return { kind: "failed", status: 0, response: undefined, findings: NONE, errors: [error], lost: undefined, message: error.message };
}

export function lost(kind: LaneFailureKind, message: string, mayRepeat: boolean = false): Outcome {
  return { kind: "lost", status: 0, response: undefined, findings: NONE, errors: NONE, lost: kind, message, mayRepeat };
}

/** An exchange as reports show it. */
export function recorded(exchange: Exchange): RecordedExchange {
  if (exchange.kind === "failure") {
    const error = exchange.error instanceof Error ? exchange.error.message : String(exchange.error);
    return { request: { method: exchange.method, url: exchange.url, headers: {} }, error, durationMs: 0 };
  }
  return recordedAnswer(exchange.response);
}

/** What a step sent. An `api` that is no HTTP client leaves no exchanges: then the response that it returned stands for them. */
export function exchangesOf(exchanges: readonly Exchange[], outcome: Outcome): readonly RecordedExchange[] {
  if (exchanges.length === 0 && outcome.response !== undefined) return [recorded({ kind: "answer", response: outcome.response })];
  return exchanges.map(recorded);
}
