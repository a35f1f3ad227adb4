import type { DeliveryTrial } from "./delivery.ts";

/** The number of trials with a clear result that are needed to decide if the server processes requests concurrently. */
const ENOUGH = 4;
/**
 * A request is ignored if it takes less than this number of milliseconds longer than the fastest request, because its time is mostly network latency.
 */
const TELLING_MS = 0.5;

/**
 * Finds out if a server processes pipelined requests concurrently: if it begins with a request before it has answered the previous requests. A
 * sequential server needs its full processing time between the last two answers. A concurrent server sends the two answers closer together. The
 * processing time of a request is the time that the request takes when it is sent alone, minus the network latency. The time of the fastest request
 * counts as the network latency. Requests with a very short processing time are ignored. No extra requests are sent.
 */
export class PipeliningEvidence {
  #fastest = Number.POSITIVE_INFINITY;
  #together = 0;
  #after = 0;

  /**
   * `true` if the server processes pipelined requests concurrently; `undefined` if not known yet. A wrong value does not change results: it only
   * makes the search for races less efficient.
   */
  get concurrent(): boolean | undefined {
    const trials = this.#together + this.#after;
    return trials < ENOUGH ? undefined : this.#together > this.#after;
  }

  /** Records the milliseconds of requests that were sent alone. */
  alone(times: readonly number[]): void {
    this.#fastest = Math.min(this.#fastest, ...times);
  }

  trial(alone: readonly number[], intervals: DeliveryTrial["intervals"]): void {
    const last = intervals.length - 1;
    const [before, after] = [intervals[last - 1], intervals[last]];
    const making = (alone[last] ?? 0) - this.#fastest;
    // Compare only requests that were released together and took long enough. A connection returns the answers in the order of the sides.
    if (before === undefined || after === undefined || before.from !== after.from || making < TELLING_MS) return;
    if (after.to - before.to < making / 2) this.#together++;
    else this.#after++;
  }
}
