import type { DeliveryTrial } from "./delivery.ts";

/** So many trials that could have shown it. */
const ENOUGH = 4;
/** Milliseconds by which a request has to take longer than the fastest one for its time to be the server's, and not that of the way to it. */
const TELLING_MS = 0.5;

/**
 * Whether a server begins with a pipelined request before it has answered those before it. A server that does not sends the answer of the last one no
 * sooner after the one before than it takes to make it: at least the time that the request takes alone, less that of the way, which no request is
 * faster than. Nothing is sent to find out; calls that are as fast as the way itself tell nothing.
 */
export class PipeliningEvidence {
  #fastest = Number.POSITIVE_INFINITY;
  #together = 0;
  #after = 0;

  /** `undefined`: not known yet. It costs but time to be wrong: trials are taken to tell more than they do, or go by other deliveries alone. */
  get concurrent(): boolean | undefined {
    const trials = this.#together + this.#after;
    return trials < ENOUGH ? undefined : this.#together > this.#after;
  }

  /** Milliseconds that requests took by themselves. */
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
