import type { DeliveryTrial } from "./delivery.ts";

/** Trials that could have shown the difference, before there is a result. */
const ENOUGH = 4;
/** Milliseconds by which a request has to take longer than the fastest one for its time to be the server's, and not the network's. */
const TELLING_MS = 0.5;

/**
 * Finds out whether a server begins with a pipelined request before it has answered those before it. A server that does not sends the last answer no
 * sooner after the one before than it takes to make it: at least the time that the request takes alone, less the time of the network, which no
 * request is faster than. No request is sent for this; calls that are as fast as the network itself show nothing.
 */
export class PipeliningEvidence {
  #fastest = Number.POSITIVE_INFINITY;
  #together = 0;
  #after = 0;

  /**
   * `undefined`: not known yet. A wrong result costs only time: trials count as evidence though they show less, or only the other deliveries are
   * used.
   */
  get concurrent(): boolean | undefined {
    const trials = this.#together + this.#after;
    return trials < ENOUGH ? undefined : this.#together > this.#after;
  }

  /** Takes in the milliseconds that requests took by themselves. */
  alone(times: readonly number[]): void {
    this.#fastest = Math.min(this.#fastest, ...times);
  }

  trial(alone: readonly number[], intervals: DeliveryTrial["intervals"]): void {
    const last = intervals.length - 1;
    const [before, after] = [intervals[last - 1], intervals[last]];
    const making = (alone[last] ?? 0) - this.#fastest;
    // The answers leave in the order of the sides, on one connection.
    if (before === undefined || after === undefined || before.from !== after.from || making < TELLING_MS) return;
    if (after.to - before.to < making / 2) this.#together++;
    else this.#after++;
  }
}
