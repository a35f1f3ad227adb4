import { setConnectionDefaults, type ConnectionSettings } from "../../network/connection-settings.ts";
import { RateLimit, type RateLimitSettings } from "./request/rate-limit.ts";
import { retryPolicy, type RetryOptions, type RetryPolicy } from "./request/retry.ts";

/** What a client does that was constructed without a word on it. */
export interface HttpDefaults {
  /** Milliseconds that one attempt may take. */
  readonly timeoutMs: number;
  /** `undefined`: answers are taken as they come. */
  readonly retry: RetryPolicy | undefined;
  /** Whom each attempt asks before it goes out; the wait is not part of its time. */
  readonly rateLimit: RateLimit | undefined;
}

/** {@link HttpDefaults} as they are handed over. */
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
/** Tells whose the current limit is. */
let limitOf: SharedArrayBuffer | undefined;

/**
 * For lanes: what the configuration says (`timeout`, `retry`, `exploration.rate_limit`, `tls`, `proxy`). Clients look it up at each request, so that it also holds for
 * those that a user's module constructed while it was imported. A key that is left out goes back to the built-in default: 30 s, no retries, no limit, Node's authorities and no proxy.
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

/** Takes a limit back that is over, unless another one was set meanwhile: what the process sends later is its own business. */
export function endRateLimit(settings: RateLimitSettings): void {
  if (settings.memory === limitOf) current = { ...current, rateLimit: undefined };
}

export function httpDefaults(): HttpDefaults {
  return current;
}
