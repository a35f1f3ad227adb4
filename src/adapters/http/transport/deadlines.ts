import { MAX_TIMER_MS } from "./transport.ts";

/** Something that expires at a given time, unless it is removed before. */
export interface Expiring {
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  expire(): void;
}

/**
 * Many short-lived deadlines on one timer. Requests start and end thousands of times a second and hardly ever expire; setting and clearing a timer
 * for each took a tenth of the throughput. Here the timer is left running when a request ends, and checks what is left when it fires.
 */
export class Deadlines {
  readonly #live = new Set<Expiring>();
  #timer: NodeJS.Timeout | undefined;
  #firesAt = Number.POSITIVE_INFINITY;

  add(one: Expiring): void {
    this.#live.add(one);
    if (one.deadline < this.#firesAt) this.#arm(one.deadline);
  }

  remove(one: Expiring): void {
    this.#live.delete(one);
  }

  /** Expires all of them now. */
  expireAll(): void {
    for (const one of this.#live) {
      this.#live.delete(one);
      one.expire();
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#firesAt = Number.POSITIVE_INFINITY;
  }

  #arm(at: number): void {
    clearTimeout(this.#timer);
    this.#firesAt = at;
    const wait = Math.min(Math.max(1, Math.ceil(at - performance.now())), MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#fire(), wait);
    // The sockets of its requests keep a process alive, not a timer that usually has nothing left to expire.
    this.#timer.unref();
  }

  #fire(): void {
    this.#firesAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const one of this.#live) {
      if (one.deadline <= now) {
        this.#live.delete(one);
        one.expire();
      } else if (one.deadline < next) next = one.deadline;
    }
    // `expire` may have led to new requests that armed the timer already.
    if (next < this.#firesAt) this.#arm(next);
  }
}
