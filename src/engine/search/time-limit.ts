/** The share of `max_time` that what comes after exploring may take beyond it, and its bounds in milliseconds. */
const SHARE = 0.1;
const LEAST_MS = 5_000;
const MOST_MS = 60_000;
/** Milliseconds that requests in progress are given after an interruption. */
export const INTERRUPTED_MS = 5_000;
/** Milliseconds between two looks at whether requests in progress have taken too long. */
export const LOOK_MS = 100;

/**
 * The time that an exploration may take with all that belongs to it. Exploring ends at `max_time`. What comes after it (probing for races, replaying,
 * shrinking and proving findings) is begun until a tenth of `max_time` later, at least 5 s and at most a minute: the allowance. What was begun is brought to
 * its end, and its requests are ended when they take longer than the allowance.
 */
export class TimeLimit {
  /** Milliseconds; `Infinity`: no limit. */
  readonly allowanceMs: number;
  /** On the clock of `performance.now()`: nothing is begun after it. */
  #endsAt: number;
  readonly #maxEndsAt: number;

  constructor(maxTimeMs: number, startedAt: number = performance.now()) {
    this.allowanceMs = maxTimeMs === Infinity ? Infinity : Math.min(Math.max(maxTimeMs * SHARE, LEAST_MS), MOST_MS);
    this.#maxEndsAt = startedAt + maxTimeMs;
    this.#endsAt = startedAt + maxTimeMs + this.allowanceMs;
  }

  /** No limit. */
  static readonly NONE: TimeLimit = new TimeLimit(Infinity);

  /** Milliseconds until nothing more is begun, at least 0. */
  get leftMs(): number {
    return Math.max(this.#endsAt - performance.now(), 0);
  }

  get isOver(): boolean {
    return this.leftMs === 0;
  }

  /** How long requests in progress may take when exploring has ended, in milliseconds. */
  graceMs(isInterrupted: boolean): number {
    if (isInterrupted) return INTERRUPTED_MS;
    return Math.max(this.#maxEndsAt - performance.now(), 0) + Math.min(this.allowanceMs / 2, INTERRUPTED_MS);
  }

  /** Adds a time that something was given beside `max_time`. */
  extend(ms: number): void {
    this.#endsAt += ms;
  }
}
