import type { RecordedExchange } from "./result.ts";

/** The work on whose behalf requests are made now: a journey's step. */
export interface RequestScope {
  /** Aborted when the work is over: what is in flight is cancelled, and further requests are refused. Its reason is an Error that says why. */
  readonly signal: AbortSignal;
  /** Takes in every exchange, also one that got no answer. */
  record(exchange: RecordedExchange): void;
}

let current: () => RequestScope | undefined = () => undefined;

/**
 * For clients: the scope that the calling code runs in. Told by the call and not by the client, so that every client that the code gets hold of is
 * covered, and code that was given up is told apart from what uses the same client after it.
 */
export function requestScope(): RequestScope | undefined {
  return current();
}

/** Says how {@link requestScope} finds the scope; knowing who calls takes Node's async context, which this folder does without. */
export function provideRequestScopes(provider: () => RequestScope | undefined): void {
  current = provider;
}
