import { AsyncLocalStorage } from "node:async_hooks";
import { setMaxListeners } from "node:events";
import { provideRequestScopes, type RequestScope } from "../model/http/request-scope.ts";
import type { RecordedExchange } from "../model/results/result.ts";

const storage = new AsyncLocalStorage<StepScope>();
provideRequestScopes(() => storage.getStore());

/** The number of journeys that run in this thread. */
let running = 0;
/** Code of a step that timed out may still call clients, and must be recognized by its async context. */
let someAbandoned = false;

/**
 * Runs work whose code is followed through every `await`. That slows down all promises of the thread, so it ends with the last journey: an
 * exploration whose `setup` is a journey continues at full speed.
 */
export async function followed<T>(work: () => Promise<T>): Promise<T> {
  running++;
  try {
    return await work();
  } finally {
    if (--running === 0 && !someAbandoned) storage.disable();
  }
}

/** The requests of one step: recorded, and cancelled if the step ends before they do. */
export class StepScope implements RequestScope {
  readonly requests: RecordedExchange[] = [];
  /** The number of requests in flight when the scope ended: their effects on the target may still come. */
  cancelled = 0;
  /** The step's code did not end with the scope. */
  abandoned = false;
  readonly #controller = new AbortController();

  constructor() {
    // There is one listener per request in flight, and there may be many.
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

  /** Refuses all further requests of the step's code. */
  end(why: string): void {
    this.#controller.abort(new Error(why));
  }

  /** Marks the step's code as still running; nothing waits for it. */
  abandon(): void {
    this.abandoned = true;
    someAbandoned = true;
  }
}

/** Returns the signal of the step that runs this journey, if a step of another journey does. */
export function outerSignal(): AbortSignal | undefined {
  return storage.getStore()?.signal;
}
