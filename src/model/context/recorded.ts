import type { ApiResponse } from "../http/response.ts";
import type { RecordedExchange } from "../results/result.ts";

/** Bodies are kept up to this many characters. */
const BODY = 100_000;

/** An answered request as reports show it. */
export function recordedAnswer(response: ApiResponse): RecordedExchange {
  return {
    request: response.request,
    response: { status: response.statusCode, headers: response.headers, body: response.text.slice(0, BODY) },
    durationMs: response.durationMs,
  };
}
