import type { Deadlines, Expiring } from "../transport/deadlines.ts";
import { requestCancelled, requestTimeout } from "../transport/failures.ts";
import type { WireAnswer, WireRequest } from "../transport/transport.ts";

/** A request that arrives at a trial, before it is held. */
export interface Arrival {
  readonly side: number;
  readonly request: WireRequest;
  /** Sends the request in the client's own way. */
  readonly own: (request: WireRequest) => Promise<WireAnswer>;
  /** Milliseconds by which the request is released later than the first one. */
  readonly offset: number;
}

/** A request that waits for those of the other sides. While it waits, it can be cancelled or time out; nothing of it has been sent then. */
export class HeldRequest implements Expiring {
  readonly side: number;
  readonly request: WireRequest;
  readonly own: (request: WireRequest) => Promise<WireAnswer>;
  readonly offset: number;
  readonly deadline: number;
  readonly answer: Promise<WireAnswer>;
  /** The time at which its end was released, on the clock of `performance.now()`. Set by the delivery that releases it. */
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

  /** Ends the wait; returns `false` if it was over before. The caller has to {@link answerWith} something. */
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

  /** Rejects the request if it still waits. */
  fail(error: unknown): void {
    if (this.take()) this.#reject(error);
  }

  expire(): void {
    this.fail(requestTimeout({ ...this.request, answered: false }, this.request.timeoutMs));
  }
}
