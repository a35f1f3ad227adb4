/** The share of `max_time` that work after exploring may take in addition, and its bounds in milliseconds. */
const SHARE = 0.1;
const LEAST_MS = 5_000;
const MOST_MS = 60_000;
/** Milliseconds for requests in progress after an interruption. */
export const INTERRUPTED_MS = 5_000;
/** Milliseconds between two checks for requests that take too long. */
export const LOOK_MS = 100;

/**
 * The time that an exploration may take, with all later work. Exploring ends at `max_time`. Later work probes for races, and replays, shrinks and
 * proves findings. It may start for another tenth of `max_time`: the allowance. The allowance is at least 5 s and at most a minute. Work that was
 * started is finished, but its requests are ended if they take longer than the allowance.
 */
export class TimeLimit {
  /** In milliseconds. `Infinity`: no limit. */
  readonly allowanceMs: number;
  /** The time after which no work is started, on the clock of `performance.now()`. */
  #endsAt: number;
  readonly #maxEndsAt: number;

  constructor(maxTimeMs: number, startedAt: number = performance.now()) {
    this.allowanceMs = maxTimeMs === Infinity ? Infinity : Math.min(Math.max(maxTimeMs * SHARE, LEAST_MS), MOST_MS);
    this.#maxEndsAt = startedAt + maxTimeMs;
    this.#endsAt = startedAt + maxTimeMs + this.allowanceMs;
  }

  static readonly NONE: TimeLimit = new TimeLimit(Infinity);

  /** Milliseconds until no more work is started, at least 0. */
  get leftMs(): number {
    return Math.max(this.#endsAt - performance.now(), 0);
  }

  get isOver(): boolean {
    return this.leftMs === 0;
  }

  /** Returns the milliseconds that requests in progress may still take after exploring has ended. */
  graceMs(isInterrupted: boolean): number {
    if (isInterrupted) return INTERRUPTED_MS;
    return Math.max(this.#maxEndsAt - performance.now(), 0) + Math.min(this.allowanceMs / 2, INTERRUPTED_MS);
  }

  /** Adds time that was granted in addition to `max_time`. */
  extend(ms: number): void {
    this.#endsAt += ms;
  }
}
