import { setConnectionDefaults, type ConnectionSettings } from "../../network/connection-settings.ts";
import { RateLimit, type RateLimitSettings } from "./request/rate-limit.ts";
import { retryPolicy, type RetryOptions, type RetryPolicy } from "./request/retry.ts";

/** The default settings of clients, for options that a client's constructor did not get. */
export interface HttpDefaults {
  readonly timeoutMs: number;
  readonly retry: RetryPolicy | undefined;
  /** The rate limit, which can delay each attempt. The delay does not count toward the attempt's timeout. */
  readonly rateLimit: RateLimit | undefined;
}

export interface HttpSettings {
  readonly timeoutMs?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  readonly rateLimit?: RateLimitSettings | undefined;
  readonly connection?: ConnectionSettings | undefined;
  /** Called repeatedly while a request waits for the rate limit, so that the lane does not count as hanging. */
  readonly alive?: (() => void) | undefined;
}

const BUILT_IN: HttpDefaults = Object.freeze({ timeoutMs: 30_000, retry: undefined, rateLimit: undefined });

let current: HttpDefaults = BUILT_IN;
/** The shared memory of the current rate limit, which identifies the limit; `undefined` if there is no limit. */
let limitOf: SharedArrayBuffer | undefined;

/**
 * Sets the configured defaults of a lane: `timeout`, `retry`, `exploration.rate_limit`, `tls` and `proxy`. Clients read these defaults at each
 * request. The defaults therefore also apply to clients that a user's module constructed when it was imported. A missing key gets the built-in
 * default: 30 s, no retries, no rate limit, Node's certificate authorities and no proxy.
 */
export function setHttpDefaults(settings: HttpSettings): void {
  current = {
    timeoutMs: settings.timeoutMs ?? BUILT_IN.timeoutMs,
    retry: settings.retry === undefined ? undefined : retryPolicy(settings.retry),
    rateLimit: settings.rateLimit === undefined ? undefined : new RateLimit(settings.rateLimit, settings.alive),
  };
  setConnectionDefaults(settings.connection);
  limitOf = settings.rateLimit?.memory;
}

/** Removes a rate limit, so that later requests of the process are not limited. Does nothing if another rate limit has replaced this limit. */
export function endRateLimit(settings: RateLimitSettings): void {
  if (settings.memory === limitOf) current = { ...current, rateLimit: undefined };
}

export function httpDefaults(): HttpDefaults {
  return current;
}
