/** Share of the time limit for races that is reserved for confirming detected races. */
const KEPT = 0.25;

/** Decides when to stop looking for races: after an interruption, or at the time limit. */
export class RacesEnd {
  readonly #begun: number = performance.now();
  readonly #limitMs: number;
  readonly #signal: AbortSignal | undefined;

  /** @param limitMs Milliseconds from now for probing and confirming races together. `Infinity`: no limit. */
  constructor(limitMs: number, signal: AbortSignal | undefined) {
    this.#limitMs = limitMs;
    this.#signal = signal;
  }

  get leftMs(): number {
    return Math.max(this.#begun + this.#limitMs - performance.now(), 0);
  }

  /** The reason why no further work on races may start; `undefined` if further work may start. */
  get reason(): "interrupted" | "max_time" | undefined {
    if (this.#signal?.aborted === true) return "interrupted";
    return this.leftMs === 0 ? "max_time" : undefined;
  }

  /**
   * Returns the reason for probing no further pairs; `undefined` to continue. If a race was `seen`, probing ends earlier, so that time is left for
   * confirming the race.
   */
  ofProbing(seen: boolean): "interrupted" | "max_time" | undefined {
    const { reason } = this;
    if (reason !== undefined || !seen || this.#limitMs === Infinity) return reason;
    return this.leftMs <= this.#limitMs * KEPT ? "max_time" : undefined;
  }
}
