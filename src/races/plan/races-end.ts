/** The share of the time that is kept for confirming, once there is something to confirm. */
const KEPT = 0.25;

/** Decides when the search for races ends early: by an interruption, or when its time is up. */
export class RacesEnd {
  readonly #begun: number = performance.now();
  readonly #limitMs: number;
  readonly #signal: AbortSignal | undefined;

  /** @param limitMs Milliseconds from now, for probing and confirming together; `Infinity`: no limit. */
  constructor(limitMs: number, signal: AbortSignal | undefined) {
    this.#limitMs = limitMs;
    this.#signal = signal;
  }

  /** Milliseconds until the limit. */
  get leftMs(): number {
    return Math.max(this.#begun + this.#limitMs - performance.now(), 0);
  }

  /** The reason why nothing more is begun; `undefined` if there is none. */
  get reason(): "interrupted" | "max_time" | undefined {
    if (this.#signal?.aborted === true) return "interrupted";
    return this.leftMs === 0 ? "max_time" : undefined;
  }

  /** Like {@link reason}, for probing: a race that was `seen` needs time to be confirmed, too. */
  ofProbing(seen: boolean): "interrupted" | "max_time" | undefined {
    const { reason } = this;
    if (reason !== undefined || !seen || this.#limitMs === Infinity) return reason;
    return this.leftMs <= this.#limitMs * KEPT ? "max_time" : undefined;
  }
}
