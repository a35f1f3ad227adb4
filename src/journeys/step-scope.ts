import { AsyncLocalStorage } from "node:async_hooks";
import { setMaxListeners } from "node:events";
import { provideRequestScopes, type RequestScope } from "../model/http/request-scope.ts";
import type { RecordedExchange } from "../model/results/result.ts";

const storage = new AsyncLocalStorage<StepScope>();
provideRequestScopes(() => storage.getStore());

let running = 0;
/** `true` once a step's code kept running after its timeout. The async storage then stays enabled, to recognise that code's requests. */
let someAbandoned = false;

/**
 * Runs work whose async context is tracked, so that requests can be assigned to steps. Tracking slows down every promise of the thread, so it is
 * disabled after the last journey.
 */
export async function followed<T>(work: () => Promise<T>): Promise<T> {
  running++;
  try {
    return await work();
  } finally {
    if (--running === 0 && !someAbandoned) storage.disable();
  }
}

/** The requests of one step. They are recorded, and the unfinished ones are cancelled when the step ends. */
export class StepScope implements RequestScope {
  readonly requests: RecordedExchange[] = [];
  /** Number of requests that were in progress when the scope ended. The target may still execute them. */
  cancelled = 0;
  /** `true` if the step's code was still running after the scope had ended. */
  abandoned = false;
  readonly #controller = new AbortController();

  constructor() {
    // Each request in progress adds a listener, so Node would warn of a leak at more than 10.
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

  /** Cancels the requests in progress and refuses all further requests of the step's code. */
  end(why: string): void {
    this.#controller.abort(new Error(why));
  }

  /** Records that the step's code is still running and that nothing waits for it. */
  abandon(): void {
    this.abandoned = true;
    someAbandoned = true;
  }
}

/** Returns the abort signal of the step in which the caller runs; `undefined` outside of a step. */
export function outerSignal(): AbortSignal | undefined {
  return storage.getStore()?.signal;
}
