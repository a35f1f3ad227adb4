import { MAX_TIMER_MS } from "./transport.ts";

export interface Expiring {
  /** The time of expiry, by `performance.now()`. */
  readonly deadline: number;
  expire(): void;
}

/**
 * Handles the deadlines of many requests with one timer. Thousands of requests per second end before their deadlines. Setting and clearing a timer
 * for each request would cost a tenth of the throughput. The timer keeps running when a request ends. When it fires, the remaining deadlines are
 * checked.
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
    // The timer must not keep the process alive, because it usually has nothing to do. The sockets of waiting requests keep the process alive.
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
    // The calls of `expire` may have started requests with earlier deadlines, for which the timer is already set.
    if (next < this.#firesAt) this.#arm(next);
  }
}
