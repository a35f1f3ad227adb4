import type { RecordedExchange } from "../results/result.ts";
import type { ApiRequest } from "./response.ts";
import type { WireAnswer, WireRequest, WireRoute } from "./wire.ts";

/** A call whose answer, after retries and redirects, has not arrived yet. */
export type UnsettledCall = Pick<ApiRequest, "method" | "url">;

/** The step of a journey, or the call of a race, to which the current requests belong. */
export interface RequestScope {
  /** A signal that is aborted when the work ends. Requests in flight are then cancelled, and further requests are refused. Its reason is an Error. */
  readonly signal: AbortSignal;
  /** Receives every exchange, including exchanges without an answer. */
  record(exchange: RecordedExchange): void;
  /** The calls that have not settled yet, retries and redirects included. Only steps of journeys set this member. */
  readonly unsettled?: Set<UnsettledCall> | undefined;
  /**
   * Sends a request in place of the client, so that the requests of all calls of a race arrive together. Only calls of a race set this member. `send`
   * is the client's own way of sending. The request may also be sent over other connections to the same `route`.
   */
  readonly deliver?:
    | ((request: WireRequest, route: WireRoute, send: (request: WireRequest) => Promise<WireAnswer>) => Promise<WireAnswer>)
    | undefined;
  /**
   * Returns a copy of a client's state (token, headers, cookies) that only this call of a race uses. `copy` makes the copy at the first use. Only
   * calls of a race set this member; all other code shares the client's state.
   */
  own?<T extends object>(state: T, copy: (state: T) => T): T;
}

const providers: (() => RequestScope | undefined)[] = [];

/**
 * Returns the scope in which the calling code runs; `undefined` if there is none. Clients call this function. The scope belongs to the running code,
 * not to the client. The scope therefore covers every client that the code uses, and ends with the code, even if a later step uses the same client.
 */
export function requestScope(): RequestScope | undefined {
  for (const provider of providers) {
    const scope = provider();
    if (scope !== undefined) return scope;
  }
  return undefined;
}

/** Makes a call with `send`. The current scope lists the call until it settles. */
export async function whileUnsettled<T>(call: UnsettledCall, send: () => Promise<T>): Promise<T> {
  const unsettled = requestScope()?.unsettled;
  unsettled?.add(call);
  try {
    return await send();
  } finally {
    unsettled?.delete(call);
  }
}

/**
 * Registers a function that finds the scope for {@link requestScope}. Finding the caller needs Node's async context, which this folder does not use.
 */
export function provideRequestScopes(provider: () => RequestScope | undefined): void {
  providers.push(provider);
}
