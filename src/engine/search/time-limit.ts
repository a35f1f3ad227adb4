/**
 * Numbers that determine the allowance, which is time for work after the search in addition to `max_time`: its share of `max_time`, and its smallest
 * and largest values in milliseconds.
 */
const SHARE = 0.1;
const LEAST_MS = 5_000;
const MOST_MS = 60_000;
/** Time for requests in progress to finish after an interruption, in milliseconds. */
export const INTERRUPTED_MS = 5_000;
/** Interval of the checks for requests that take too long, in milliseconds. */
export const LOOK_MS = 100;

/**
 * The time limit of an exploration and of the work after the search: the search for races, and the confirmation and shortening of findings. The
 * search ends at `max_time`. Further work may be started during the allowance, which is another tenth of `max_time`, but at least 5 s and at most a
 * minute. Work that was started is finished, but its requests are ended if they take longer than the allowance.
 */
export class TimeLimit {
  /** Time for starting work after the search, in addition to `max_time`, in milliseconds. `Infinity`: no limit. */
  readonly allowanceMs: number;
  /** The time after which no work is started, as a value of `performance.now()`. */
  #endsAt: number;
  readonly #maxEndsAt: number;

  constructor(maxTimeMs: number, startedAt: number = performance.now()) {
    this.allowanceMs = maxTimeMs === Infinity ? Infinity : Math.min(Math.max(maxTimeMs * SHARE, LEAST_MS), MOST_MS);
    this.#maxEndsAt = startedAt + maxTimeMs;
    this.#endsAt = startedAt + maxTimeMs + this.allowanceMs;
  }

  static readonly NONE: TimeLimit = new TimeLimit(Infinity);

  /** Milliseconds until no further work is started. 0 if the end was reached. */
  get leftMs(): number {
    return Math.max(this.#endsAt - performance.now(), 0);
  }

  get isOver(): boolean {
    return this.leftMs === 0;
  }

  /** Returns how many milliseconds requests in progress may still take after the search has ended. */
  graceMs(isInterrupted: boolean): number {
    if (isInterrupted) return INTERRUPTED_MS;
    return Math.max(this.#maxEndsAt - performance.now(), 0) + Math.min(this.allowanceMs / 2, INTERRUPTED_MS);
  }

  /** Moves the end of the allowance to a later time. */
  extend(ms: number): void {
    this.#endsAt += ms;
  }
}
