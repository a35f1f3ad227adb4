import type { RecordedExchange } from "../results/result.ts";
import type { WireAnswer, WireRequest, WireRoute } from "./wire.ts";

/** The work that makes requests now: a journey's step, or a side of a race. */
export interface RequestScope {
  /** Aborted when the work is over: requests in flight are cancelled, and further requests are refused. Its reason is an Error that says why. */
  readonly signal: AbortSignal;
  /** Takes in every exchange, also one without an answer. */
  record(exchange: RecordedExchange): void;
  /**
   * For a side of a race: sends in place of the client's own connections, so that the requests of all sides meet. `send` is the client's own way of
   * sending; the request may be sent otherwise by the same `route`.
   */
  readonly deliver?:
    | ((request: WireRequest, route: WireRoute, send: (request: WireRequest) => Promise<WireAnswer>) => Promise<WireAnswer>)
    | undefined;
  /**
   * For a side of a race: its own copy of the state that a client changes (token, headers, cookies). `copy` makes it at the first call. Absent: there
   * is only one state.
   */
  own?<T extends object>(state: T, copy: (state: T) => T): T;
}

const providers: (() => RequestScope | undefined)[] = [];

/**
 * For clients: returns the scope that the calling code runs in. The scope depends on the call and not on the client, for two reasons: every client
 * that the code uses is covered, and code that timed out is distinguished from later users of the same client.
 */
export function requestScope(): RequestScope | undefined {
  for (const provider of providers) {
    const scope = provider();
    if (scope !== undefined) return scope;
  }
  return undefined;
}

/** Registers a way in which {@link requestScope} finds the scope. Finding the caller takes Node's async context, which this folder does not use. */
export function provideRequestScopes(provider: () => RequestScope | undefined): void {
  providers.push(provider);
}
