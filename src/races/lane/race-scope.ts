import { AsyncLocalStorage } from "node:async_hooks";
import { setMaxListeners } from "node:events";
import { provideRequestScopes, type RequestScope } from "../../model/http/request-scope.ts";
import type { WireAnswer, WireRequest, WireRoute } from "../../model/http/wire.ts";

const storage = new AsyncLocalStorage<RaceScope>();
provideRequestScopes(() => storage.getStore());

/** Sends a request of a side so that it meets those of the others. */
export type Deliver = (
  side: number,
  request: WireRequest,
  route: WireRoute,
  send: (request: WireRequest) => Promise<WireAnswer>,
) => Promise<WireAnswer>;

/** The requests of one side of a race. They are recognised by the call that makes them, so that the user's actions need not change. */
export class RaceScope implements RequestScope {
  readonly signal: AbortSignal;
  readonly deliver: RequestScope["deliver"];
  /** The index of the side. */
  readonly side: number;
  readonly #own: Map<object, object> = new Map();

  constructor(side: number, signal: AbortSignal, deliver: Deliver | undefined) {
    this.side = side;
    this.signal = signal;
    setMaxListeners(0, signal);
    this.deliver = deliver === undefined ? undefined : (request, route, send) => deliver(side, request, route, send);
  }

  /** Does nothing: exchanges arrive through the clients' listener. */
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

/** Returns the side for which the calling code runs. */
export function currentSide(): number | undefined {
  return storage.getStore()?.side;
}

/** Ends the tracking of asynchronous calls, which slows down all promises of the thread while it lasts. */
export function stopFollowing(): void {
  storage.disable();
}
