/** Counts the chunks that each lane holds. Wakes the search after the answer to a chunk was processed. */
export class LanePosts {
  readonly #held: number[];
  #wake: (() => void) | undefined;

  constructor(lanes: number) {
    this.#held = new Array<number>(lanes).fill(0);
  }

  get held(): readonly number[] {
    return this.#held;
  }

  get any(): boolean {
    return this.#held.some((chunks) => chunks > 0);
  }

  /** Counts a chunk of a lane until `taken` resolves, when the chunk's answer was processed. `taken` must not reject. */
  add(lane: number, taken: Promise<void>): void {
    this.#held[lane]!++;
    void taken.finally(() => {
      this.#held[lane]!--;
      this.wake();
    });
  }

  /** Makes {@link wait} resolve. */
  wake(): void {
    this.#wake?.();
  }

  /** Resolves when the next answer was processed, or when {@link wake} is called. */
  wait(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }
}
