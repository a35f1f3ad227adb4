import { setTimeout as sleep } from "node:timers/promises";

/** The settings of a rate limit for all threads that share `memory`. Plain data. */
export interface RateLimitSettings {
  readonly perSecond: number;
  /** Eight bytes, initially zero: the time at which the next request is due. */
  readonly memory: SharedArrayBuffer;
}

const NANOSECONDS = 1e9;
/**
 * The maximum number of nanoseconds by which a request may be sent too early. Timers have a resolution of about 1 ms. Without this tolerance,
 * requests that are due every 0.2 ms would be sent only every millisecond.
 */
const EARLY = 5_000_000n;
const SLICE = 1000;

/**
 * Limits the request rate over all lanes. Requests are sent in the order of their calls of {@link turn}. The limiter is the generic cell rate
 * algorithm (ITU-T I.371). Its state is one word in shared memory: the time at which the next request is due. If N requests begin after t = 0, the
 * last is sent no earlier than (N - 1) / perSecond - 5 ms. Time in which no request was sent does not allow more requests later.
 */
export class RateLimit {
  readonly #due: BigInt64Array;
  readonly #interval: bigint;
  readonly #alive: (() => void) | undefined;

  /** @param alive Called repeatedly while a request waits, so that the lane does not count as hanging. */
  constructor({ perSecond, memory }: RateLimitSettings, alive?: () => void) {
    this.#due = new BigInt64Array(memory);
    this.#interval = BigInt(Math.ceil(NANOSECONDS / perSecond));
    this.#alive = alive;
  }

  /** Resolves when a request may be sent, or when the signal is aborted. */
  async turn(signal: AbortSignal | undefined): Promise<void> {
    const givenUp = (): boolean => signal?.aborted === true;
    if (givenUp()) return;
    for (const at = this.#reserve(); ;) {
      const wait = Number(at - process.hrtime.bigint()) / 1e6;
      if (wait <= 0 || givenUp()) return;
      await sleep(Math.min(Math.ceil(wait), SLICE), undefined, { signal }).catch(() => undefined);
      this.#alive?.();
    }
  }

  /** Reserves the next free time for one request and returns it, on the clock of `process.hrtime`. All threads of a process share this clock. */
  #reserve(): bigint {
    for (let seen = Atomics.load(this.#due, 0); ;) {
      const now = process.hrtime.bigint();
      const due = seen > now ? seen : now;
      const found = Atomics.compareExchange(this.#due, 0, seen, due + this.#interval);
      if (found === seen) return due - EARLY;
      seen = found;
    }
  }
}
