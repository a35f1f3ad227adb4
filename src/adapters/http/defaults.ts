import { retryPolicy, type RetryOptions, type RetryPolicy } from "./retry.ts";

/** What a client does that was constructed without a word on it. */
export interface HttpDefaults {
  /** Milliseconds that one attempt may take. */
  readonly timeoutMs: number;
  /** `undefined`: answers are taken as they come. */
  readonly retry: RetryPolicy | undefined;
}

const BUILT_IN: HttpDefaults = Object.freeze({ timeoutMs: 30_000, retry: undefined });

let current: HttpDefaults = BUILT_IN;

/**
 * For lanes: what the configuration says (`timeout`, `retry`). Clients look it up at each request, so that it also holds for
 * those that a user's module constructed while it was imported. A key that is left out goes back to the built-in default: 30 s, no retries.
 */
export function setHttpDefaults(defaults: { readonly timeoutMs?: number | undefined; readonly retry?: RetryOptions | undefined }): void {
  current = {
    timeoutMs: defaults.timeoutMs ?? BUILT_IN.timeoutMs,
    retry: defaults.retry === undefined ? undefined : retryPolicy(defaults.retry),
  };
}

export function httpDefaults(): HttpDefaults {
  return current;
}
