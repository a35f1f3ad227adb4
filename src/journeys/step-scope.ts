import { AsyncLocalStorage } from "node:async_hooks";
import { setMaxListeners } from "node:events";
import { provideRequestScopes, type RequestScope, type UnsettledCall } from "../model/http/request-scope.ts";
import type { RecordedExchange } from "../model/results/result.ts";

const storage = new AsyncLocalStorage<StepScope>();
provideRequestScopes(() => storage.getStore());

let running = 0;
/**
 * `true` after the code of a step has continued beyond the step's timeout. Requests of this code must still be recognised, so the tracking of async
 * contexts stays enabled.
 */
let someAbandoned = false;

/**
 * Calls `work` while async contexts are tracked, so that requests can be assigned to steps. The tracking slows down every promise of the thread, so
 * it is disabled after the last journey.
 */
export async function followed<T>(work: () => Promise<T>): Promise<T> {
  running++;
  try {
    return await work();
  } finally {
    if (--running === 0 && !someAbandoned) storage.disable();
  }
}

/** Records the requests of one step. Cancels unfinished requests when the step ends. */
export class StepScope implements RequestScope {
  readonly requests: RecordedExchange[] = [];
  readonly unsettled: Set<UnsettledCall> = new Set();
  /** Number of requests that were cancelled when the step ended. The target may still execute them. */
  cancelled = 0;
  /** `true` if the step's code was still running when the step had ended. */
  abandoned = false;
  readonly #controller = new AbortController();

  constructor() {
    // Allow any number of listeners: each request in progress adds a listener, and Node warns at more than 10 listeners.
    setMaxListeners(0, this.#controller.signal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  record(exchange: RecordedExchange): void {
    if (this.signal.aborted) this.cancelled++;
    this.requests.push(exchange);
  }

  run<T>(work: () => T): T {
    return storage.run(this, work);
  }

  /**
   * Cancels the step's requests in progress, and refuses all further requests of its code. @param why The reason, for the error of these requests.
   */
  end(why: string): void {
    this.#controller.abort(new Error(why));
  }

  /** Records that the step's code is still running and will not be awaited. */
  abandon(): void {
    this.abandoned = true;
    someAbandoned = true;
  }
}

/** Returns the abort signal of the step in which the caller runs; `undefined` outside of a step. */
export function outerSignal(): AbortSignal | undefined {
  return storage.getStore()?.signal;
}
