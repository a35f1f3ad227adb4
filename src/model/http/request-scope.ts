import type { RecordedExchange } from "../results/result.ts";
import type { WireAnswer, WireRequest, WireRoute } from "./wire.ts";

/** The work on whose behalf requests are made now: a journey's step, or a side of a race. */
export interface RequestScope {
  /** Aborted when the work is over: what is in flight is cancelled, and further requests are refused. Its reason is an Error that says why. */
  readonly signal: AbortSignal;
  /** Takes in every exchange, also one that got no answer. */
  record(exchange: RecordedExchange): void;
  /**
   * A side of a race: sends in place of the client's own connections, so that the requests of all sides meet. `send` is the client's own way; the
   * request may be sent otherwise by the same `route`.
   */
  readonly deliver?:
    ((request: WireRequest, route: WireRoute, send: (request: WireRequest) => Promise<WireAnswer>) => Promise<WireAnswer>) | undefined;
  /**
   * A side of a race: its own copy of what a client changes (token, headers, cookies), made with `copy` when it is first asked for. Absent: there is
   * but one.
   */
  own?<T extends object>(state: T, copy: (state: T) => T): T;
}

const providers: (() => RequestScope | undefined)[] = [];

/**
 * For clients: the scope that the calling code runs in. Told by the call and not by the client, so that every client that the code gets hold of is
 * covered, and code that was given up is told apart from what uses the same client after it.
 */
export function requestScope(): RequestScope | undefined {
  for (const provider of providers) {
    const scope = provider();
    if (scope !== undefined) return scope;
  }
  return undefined;
}

/** Says one way in which {@link requestScope} finds the scope; knowing who calls takes Node's async context, which this folder does without. */
export function provideRequestScopes(provider: () => RequestScope | undefined): void {
  providers.push(provider);
}
