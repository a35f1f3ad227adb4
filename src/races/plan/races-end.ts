/** The share of the time that is left for confirming, once there is something to confirm. */
const KEPT = 0.25;

/** When looking for races ends before all is done: by an interruption, or when its time is up. */
export class RacesEnd {
  readonly #begun: number = performance.now();
  readonly #limitMs: number;
  readonly #signal: AbortSignal | undefined;

  /** `limitMs`: milliseconds from now, for probing and confirming together; `Infinity`: no limit. */
  constructor(limitMs: number, signal: AbortSignal | undefined) {
    this.#limitMs = limitMs;
    this.#signal = signal;
  }

  /** Milliseconds. */
  get leftMs(): number {
    return Math.max(this.#begun + this.#limitMs - performance.now(), 0);
  }

  /** Why nothing more is begun; `undefined`: it may be. */
  get reason(): "interrupted" | "max_time" | undefined {
    if (this.#signal?.aborted === true) return "interrupted";
    return this.leftMs === 0 ? "max_time" : undefined;
  }

  /** As {@link reason}, of probing: what was `seen` is to be confirmed, too. */
  ofProbing(seen: boolean): "interrupted" | "max_time" | undefined {
    const { reason } = this;
    if (reason !== undefined || !seen || this.#limitMs === Infinity) return reason;
    return this.leftMs <= this.#limitMs * KEPT ? "max_time" : undefined;
  }
}
