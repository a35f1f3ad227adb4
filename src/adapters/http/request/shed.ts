import type { ApiResponse } from "../../../model/http/response.ts";
import { retryDelay, retryPolicy, type RetryPolicy } from "./retry.ts";

/**
 * The waits after a server refused a request because of overload: at most 3 s each, and 9 s for one request. A server that refuses a request for
 * longer is considered permanently overloaded.
 */
const POLICY: RetryPolicy = retryPolicy({ maxAttempts: 4, delay: 0.25, backoffMultiplier: 2, maxDelay: 3, retryOnStatus: [503] });
/**
 * After this number of requests that were refused at every attempt, the client no longer waits for overloaded servers. Otherwise a run could take
 * hours.
 */
const MOST_IN_VAIN = 3;
const UNDER_PRESSURE = /under[ _-]?pressure/i;
const LOOKED_AT = 2000;

/**
 * Returns `true` for an answer by which an overloaded server rejected a request before processing it. The answer is a 503 with `Retry-After`, or a
 * 503 that mentions pressure, as @fastify/under-pressure sends it. Only such a request can be sent again without executing it twice.
 */
export function isShed({ statusCode, headers, text }: ApiResponse): boolean {
  if (statusCode !== 503) return false;
  if (headers["retry-after"] !== undefined || UNDER_PRESSURE.test(text.slice(0, LOOKED_AT))) return true;
  return Object.entries(headers).some(([name, value]) => UNDER_PRESSURE.test(name) || UNDER_PRESSURE.test(value));
}

export class Patience {
  #inVain = 0;

  /** Returns the number of seconds to wait after `tries` attempts. `undefined`: do not retry. */
  wait(tries: number, { headers }: ApiResponse): number | undefined {
    if (this.#inVain >= MOST_IN_VAIN || tries >= POLICY.maxAttempts) return undefined;
    return Math.max(0.05, retryDelay(POLICY, tries, headers["retry-after"]));
  }

  /** Notes that a request was refused at every attempt. */
  inVain(): void {
    this.#inVain++;
  }

  /** Notes that a request was accepted after it had been refused, which shows that waiting helps. */
  rewarded(): void {
    this.#inVain = 0;
  }
}
