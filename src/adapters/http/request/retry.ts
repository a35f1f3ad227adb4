import { SeqqaError } from "../../../model/errors.ts";

/** Settings for sending a request again after certain answers. Times are in seconds. A request without an answer is never retried. */
export interface RetryOptions {
  /** The maximum number of attempts, including the first. Default: 3. */
  readonly maxAttempts?: number;
  /** Seconds to wait before the second attempt. Default: 1. */
  readonly delay?: number;
  /** The factor between one wait and the next. At least 1; default: 2. */
  readonly backoffMultiplier?: number;
  /** The longest wait in seconds, even if `Retry-After` asks for more. Default: 30. */
  readonly maxDelay?: number;
  /** The statuses that are retried. Default: 429, 500, 502, 503 and 504. */
  readonly retryOnStatus?: readonly number[];
}

/** {@link RetryOptions} with all defaults filled in. */
export type RetryPolicy = Required<RetryOptions>;

/**
 * Fills in the defaults and checks the options.
 * @throws SeqqaError `RETRY_INVALID` with the name of the option that is out of range
 */
export function retryPolicy(options: RetryOptions): RetryPolicy {
  const policy: RetryPolicy = {
    maxAttempts: options.maxAttempts ?? 3,
    delay: options.delay ?? 1,
    backoffMultiplier: options.backoffMultiplier ?? 2,
    maxDelay: options.maxDelay ?? 30,
    retryOnStatus: options.retryOnStatus ?? [429, 500, 502, 503, 504],
  };
  check("maxAttempts", policy.maxAttempts, Number.isSafeInteger(policy.maxAttempts) && policy.maxAttempts >= 1, "an integer of at least 1");
  check("delay", policy.delay, policy.delay >= 0 && Number.isFinite(policy.delay), "a number of seconds, 0 or more");
  check(
    "backoffMultiplier",
    policy.backoffMultiplier,
    policy.backoffMultiplier >= 1 && Number.isFinite(policy.backoffMultiplier),
    "at least 1",
  );
  check("maxDelay", policy.maxDelay, policy.maxDelay >= 0 && Number.isFinite(policy.maxDelay), "a number of seconds, 0 or more");
  check("retryOnStatus", policy.retryOnStatus, Array.isArray(policy.retryOnStatus), "a list of HTTP statuses");
  return policy;
}

/**
 * Returns the seconds to wait after the given attempt (1, 2, ...). The wait is the value of `Retry-After`, else exponential backoff, up to
 * `maxDelay`.
 */
export function retryDelay(policy: RetryPolicy, attempt: number, retryAfter: string | undefined, now: number = Date.now()): number {
  const asked = retryAfter === undefined ? undefined : retryAfterSeconds(retryAfter, now);
  return Math.min(asked ?? policy.delay * policy.backoffMultiplier ** (attempt - 1), policy.maxDelay);
}

/** Reads `Retry-After` (RFC 9110, section 10.2.3): seconds or a date. Any other value counts as absent. */
function retryAfterSeconds(value: string, now: number): number | undefined {
  const text = value.trim();
  if (/^\d+$/.test(text)) return Number(text);
  // An HTTP date begins with the name of a weekday. `Date.parse` alone would also accept "-1" or "soon 5".
  const date = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}

function check(name: string, value: unknown, valid: boolean, wanted: string): void {
  if (valid) return;
  throw new SeqqaError("RETRY_INVALID", `The option retry.${name} of an HttpClient is ${String(value)}, but must be ${wanted}.`, {
    exitStatus: 2,
  });
}
