import type { Deadlines, Expiring } from "../transport/deadlines.ts";
import { requestCancelled, requestTimeout } from "../transport/failures.ts";
import type { WireAnswer, WireRequest } from "../transport/transport.ts";

export interface Arrival {
  readonly side: number;
  readonly request: WireRequest;
  readonly own: (request: WireRequest) => Promise<WireAnswer>;
  /** The delay of this request: milliseconds after the first request of the trial is released. */
  readonly offset: number;
}

/**
 * A request of a race that waits until the requests of all other sides have arrived. No byte is sent during the wait, and the request can be
 * cancelled or time out.
 */
export class HeldRequest implements Expiring {
  readonly side: number;
  readonly request: WireRequest;
  readonly own: (request: WireRequest) => Promise<WireAnswer>;
  readonly offset: number;
  readonly deadline: number;
  readonly answer: Promise<WireAnswer>;
  /** The time at which the last byte of the request was sent, by `performance.now()`. The delivery that sends the request sets it. */
  from: number | undefined;
  readonly #deadlines: Deadlines;
  readonly #onCancel: () => void;
  #resolve: (answer: WireAnswer | Promise<WireAnswer>) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #waiting = true;

  constructor(arrival: Arrival, deadlines: Deadlines) {
    ({ side: this.side, request: this.request, own: this.own, offset: this.offset } = arrival);
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.deadline = performance.now() + this.request.timeoutMs;
    this.#deadlines = deadlines;
    deadlines.add(this);
    this.#onCancel = () => this.fail(requestCancelled(this.request, this.request.signal!, false));
    this.request.signal?.addEventListener("abort", this.#onCancel);
    if (this.request.signal?.aborted === true) this.#onCancel();
  }

  /** Ends the wait for the other sides. The caller must then call {@link answerWith}. Returns `false` if the wait had already ended. */
  take(): boolean {
    const waited = this.#waiting;
    this.#waiting = false;
    this.#deadlines.remove(this);
    this.request.signal?.removeEventListener("abort", this.#onCancel);
    return waited;
  }

  answerWith(answer: Promise<WireAnswer>): void {
    this.#resolve(answer);
  }

  fail(error: unknown): void {
    if (this.take()) this.#reject(error);
  }

  expire(): void {
    this.fail(requestTimeout({ ...this.request, answered: false }, this.request.timeoutMs));
  }
}
