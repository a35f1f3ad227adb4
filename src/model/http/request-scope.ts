import type { RecordedExchange } from "../results/result.ts";
import type { WireAnswer, WireRequest, WireRoute } from "./wire.ts";

/** The work that the current requests belong to: a journey's step, or one side of a race. */
export interface RequestScope {
  /** A signal that is aborted when the work ends. Requests in flight are then cancelled, and further requests are refused. Its reason is an Error. */
  readonly signal: AbortSignal;
  /** Receives every exchange, also one without an answer. */
  record(exchange: RecordedExchange): void;
  /**
   * Sends a request in place of the client, so that the requests of all sides of a race meet. Only sides of a race set it. `send` is the client's own
   * way of sending. The request may also be sent over other connections to the same `route`.
   */
  readonly deliver?:
    | ((request: WireRequest, route: WireRoute, send: (request: WireRequest) => Promise<WireAnswer>) => Promise<WireAnswer>)
    | undefined;
  /**
   * Returns this side's own copy of a client's state (token, headers, cookies). The first call makes the copy with `copy`. Only sides of a race set
   * it; without it, all code shares one state.
   */
  own?<T extends object>(state: T, copy: (state: T) => T): T;
}

const providers: (() => RequestScope | undefined)[] = [];

/**
 * Returns the scope in which the calling code runs; clients call this. The scope belongs to the call, not to the client. Every client that the code
 * uses is therefore covered, and code that timed out is distinguished from later users of the same client.
 */
export function requestScope(): RequestScope | undefined {
  for (const provider of providers) {
    const scope = provider();
    if (scope !== undefined) return scope;
  }
  return undefined;
}

/**
 * Registers a function that finds the scope for {@link requestScope}. Finding the caller needs Node's async context, which this folder does not use.
 */
export function provideRequestScopes(provider: () => RequestScope | undefined): void {
  providers.push(provider);
}
