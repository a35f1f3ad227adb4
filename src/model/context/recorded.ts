import type { ApiResponse } from "../http/response.ts";
import type { RecordedExchange } from "../results/result.ts";

/** The number of characters after which a recorded body is cut off. */
const BODY = 100_000;

/** Returns an answered request in the form that reports show. */
export function recordedAnswer(response: ApiResponse): RecordedExchange {
  return {
    request: response.request,
    response: { status: response.statusCode, headers: response.headers, body: response.text.slice(0, BODY) },
    durationMs: response.durationMs,
  };
}
