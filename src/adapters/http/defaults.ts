import { setConnectionDefaults, type ConnectionSettings } from "../../network/connection-settings.ts";
import { RateLimit, type RateLimitSettings } from "./request/rate-limit.ts";
import { retryPolicy, type RetryOptions, type RetryPolicy } from "./request/retry.ts";

/** The settings of a client that was constructed without its own. */
export interface HttpDefaults {
  /** Milliseconds that one attempt may take. */
  readonly timeoutMs: number;
  /** `undefined`: no answer is retried. */
  readonly retry: RetryPolicy | undefined;
  /** Asked before each attempt goes out; the wait does not count as time of the attempt. */
  readonly rateLimit: RateLimit | undefined;
}

/** The settings from which {@link HttpDefaults} are made. */
export interface HttpSettings {
  readonly timeoutMs?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  readonly rateLimit?: RateLimitSettings | undefined;
  readonly connection?: ConnectionSettings | undefined;
  /** Called while a request waits for its turn. */
  readonly alive?: (() => void) | undefined;
}

const BUILT_IN: HttpDefaults = Object.freeze({ timeoutMs: 30_000, retry: undefined, rateLimit: undefined });

let current: HttpDefaults = BUILT_IN;
/** Identifies the current limit by its shared memory. */
let limitOf: SharedArrayBuffer | undefined;

/**
 * Sets what the configuration says (`timeout`, `retry`, `exploration.rate_limit`, `tls`, `proxy`), for lanes. Clients look it up at each request, so
 * that it also holds for clients that a user's module constructed while it was imported. A key that is left out goes back to the built-in default: 30
 * s, no retries, no limit, Node's authorities and no proxy.
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

/** Removes a rate limit that is over, unless another one was set meanwhile. Later requests of the process are not limited. */
export function endRateLimit(settings: RateLimitSettings): void {
  if (settings.memory === limitOf) current = { ...current, rateLimit: undefined };
}

export function httpDefaults(): HttpDefaults {
  return current;
}
