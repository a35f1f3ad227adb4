import { AsyncLocalStorage } from "node:async_hooks";
import { setMaxListeners } from "node:events";
import { provideRequestScopes, type RequestScope } from "../model/http/request-scope.ts";
import type { RecordedExchange } from "../model/results/result.ts";

const storage = new AsyncLocalStorage<StepScope>();
provideRequestScopes(() => storage.getStore());

/** Journeys that run in this thread. */
let running = 0;
/** Code of a step that was given up may still call clients, and must be known by its context. */
let someAbandoned = false;

/**
 * While a journey runs, its code is followed through every `await`. That costs all promises of the thread time, so it ends with the last journey: an
 * exploration whose `setup` is a journey goes on at full speed.
 */
export async function followed<T>(work: () => Promise<T>): Promise<T> {
  running++;
  try {
    return await work();
  } finally {
    if (--running === 0 && !someAbandoned) storage.disable();
  }
}

/** The requests of one step: recorded, and cancelled when the step is over before they are. */
export class StepScope implements RequestScope {
  readonly requests: RecordedExchange[] = [];
  /** How many were in flight when the scope ended: what they do in the target may still come. */
  cancelled = 0;
  /** Its code did not end with it. */
  abandoned = false;
  readonly #controller = new AbortController();

  constructor() {
    // A listener per request in flight, and there may be many.
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

  /** From here on its code can send nothing more. */
  end(why: string): void {
    this.#controller.abort(new Error(why));
  }

  /** Its code goes on for as long as it likes. */
  abandon(): void {
    this.abandoned = true;
    someAbandoned = true;
  }
}

/** The scope that a journey is run in, when a step runs another journey. */
export function outerSignal(): AbortSignal | undefined {
  return storage.getStore()?.signal;
}
