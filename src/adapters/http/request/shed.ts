import type { ApiResponse } from "../../../model/http/response.ts";
import { retryDelay, retryPolicy, type RetryPolicy } from "./retry.ts";

/**
 * The waits after a server refused a request because of overload: at most 3 s each, and 9 s for one request. A server that refuses a request for
 * longer is considered permanently overloaded.
 */
const POLICY: RetryPolicy = retryPolicy({ maxAttempts: 4, delay: 0.25, backoffMultiplier: 2, maxDelay: 3, retryOnStatus: [503] });
/**
 * If this number of requests was refused at every attempt and waiting has helped no request since, the client waits only {@link SHORT} between
 * attempts. Otherwise a run could take hours. The number of attempts stays the same, because the requests on a path must not depend on what happened
 * on other paths.
 */
const MOST_IN_VAIN = 3;
/** The shortest wait, in seconds. */
const SHORT = 0.05;
/** Methods that only read (RFC 9110, section 9.2.1). Sending such a request again does no harm. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const UNDER_PRESSURE = /under[ _-]?pressure/i;
const LOOKED_AT = 2000;

/**
 * Returns `true` for an answer by which an overloaded server rejects a request: a 503 with `Retry-After`, or a 503 that mentions pressure, as
 * @fastify/under-pressure sends it.
 */
export function isShed(response: ApiResponse): boolean {
  return response.statusCode === 503 && (response.headers["retry-after"] !== undefined || mentionsPressure(response));
}

/**
 * Returns `true` if a request that was shed can be sent again without the risk of executing it twice. A server sends a 503 that mentions pressure
 * before it works on the request, so every such request can be sent again. A 503 with only `Retry-After` may come from an endpoint that has already
 * written something, e.g. because a third party failed. After it, only a request that reads can be sent again.
 */
export function mayResend(response: ApiResponse): boolean {
  return SAFE_METHODS.has(response.request.method) || mentionsPressure(response);
}

/** Returns the seconds to wait after `tries` attempts that were refused. */
export function shedDelay(tries: number, { headers }: ApiResponse): number {
  return Math.max(SHORT, retryDelay(POLICY, tries, headers["retry-after"]));
}

function mentionsPressure({ headers, text }: ApiResponse): boolean {
  if (UNDER_PRESSURE.test(text.slice(0, LOOKED_AT))) return true;
  return Object.entries(headers).some(([name, value]) => UNDER_PRESSURE.test(name) || UNDER_PRESSURE.test(value));
}

export class Patience {
  #inVain = 0;

  /** Returns the number of seconds to wait after `tries` attempts. `undefined`: do not retry. */
  wait(tries: number, response: ApiResponse): number | undefined {
    if (tries >= POLICY.maxAttempts) return undefined;
    return this.#inVain >= MOST_IN_VAIN ? SHORT : shedDelay(tries, response);
  }

  /** Notes that a request was refused at every attempt. */
  inVain(): void {
    this.#inVain++;
  }

  /** Notes that a request was accepted after a wait, which shows that waiting helps. */
  rewarded(): void {
    this.#inVain = 0;
  }
}
