import { AsyncLocalStorage } from "node:async_hooks";
import { setMaxListeners } from "node:events";
import { provideRequestScopes, type RequestScope } from "../../model/http/request-scope.ts";
import type { WireAnswer, WireRequest, WireRoute } from "../../model/http/wire.ts";

const storage = new AsyncLocalStorage<RaceScope>();
provideRequestScopes(() => storage.getStore());

/** Sends a request of one call at the same time as requests of the other calls. */
export type Deliver = (
  side: number,
  request: WireRequest,
  route: WireRoute,
  send: (request: WireRequest) => Promise<WireAnswer>,
) => Promise<WireAnswer>;

/** Receives the requests of one call of a race. Requests are assigned to calls by their async context, so that the user's actions need no change. */
export class RaceScope implements RequestScope {
  readonly signal: AbortSignal;
  readonly deliver: RequestScope["deliver"];
  readonly side: number;
  readonly #own: Map<object, object> = new Map();

  constructor(side: number, signal: AbortSignal, deliver: Deliver | undefined) {
    this.side = side;
    this.signal = signal;
    setMaxListeners(0, signal);
    this.deliver = deliver === undefined ? undefined : (request, route, send) => deliver(side, request, route, send);
  }

  /** Records nothing, because the clients' listener already records the requests and answers. */
  record(): void {}

  own<T extends object>(state: T, copy: (state: T) => T): T {
    let own = this.#own.get(state) as T | undefined;
    if (own === undefined) this.#own.set(state, (own = copy(state)));
    return own;
  }

  run<T>(work: () => T): T {
    return storage.run(this, work);
  }
}

/** Returns the index of the call (in a race) that runs the current code; `undefined` if the code belongs to no call. */
export function currentSide(): number | undefined {
  return storage.getStore()?.side;
}

/** Disables the tracking of async contexts, which slows down every promise of the thread. */
export function stopFollowing(): void {
  storage.disable();
}
