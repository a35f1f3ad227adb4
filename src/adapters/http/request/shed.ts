import type { ApiResponse } from "../../../model/http/response.ts";
import { retryDelay, retryPolicy, type RetryPolicy } from "./retry.ts";

/** Waits of at most 3 s, and of at most 9 s in all for one request: a server that sheds load for longer is overloaded for good. */
const POLICY: RetryPolicy = retryPolicy({ maxAttempts: 4, delay: 0.25, backoffMultiplier: 2, maxDelay: 3, retryOnStatus: [503] });
/** After this many requests that were waited for in vain, a client stops waiting: the run would take hours. */
const MOST_IN_VAIN = 3;
const UNDER_PRESSURE = /under[ _-]?pressure/i;
/** Characters of a body that are looked at. */
const LOOKED_AT = 2000;

/**
 * Returns `true` for an answer by which an overloaded server refused a request before it worked on it: 503 with Retry-After, or 503 that says that
 * the server is under pressure, as @fastify/under-pressure does. Only such a request may be sent again without executing it twice.
 */
export function isShed({ statusCode, headers, text }: ApiResponse): boolean {
  if (statusCode !== 503) return false;
  if (headers["retry-after"] !== undefined || UNDER_PRESSURE.test(text.slice(0, LOOKED_AT))) return true;
  return Object.entries(headers).some(([name, value]) => UNDER_PRESSURE.test(name) || UNDER_PRESSURE.test(value));
}

/** Says how long a client waits for a server that sheds load. */
export class Patience {
  #inVain = 0;

  /** Seconds to wait before a request is sent again after `tries` tries; `undefined`: it is not sent again. */
  wait(tries: number, { headers }: ApiResponse): number | undefined {
    if (this.#inVain >= MOST_IN_VAIN || tries >= POLICY.maxAttempts) return undefined;
    return Math.max(0.05, retryDelay(POLICY, tries, headers["retry-after"]));
  }

  /** Records that a request was refused at every try. */
  inVain(): void {
    this.#inVain++;
  }

  /** Records that a request that had been refused was accepted. */
  rewarded(): void {
    this.#inVain = 0;
  }
}
