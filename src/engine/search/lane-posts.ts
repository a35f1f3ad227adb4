/** How many chunks each lane holds, and who waits for their answers. */
export class LanePosts {
  readonly #held: number[];
  #wake: (() => void) | undefined;

  constructor(lanes: number) {
    this.#held = new Array<number>(lanes).fill(0);
  }

  /** Chunks by lane. */
  get held(): readonly number[] {
    return this.#held;
  }

  /** Some lane holds one. */
  get any(): boolean {
    return this.#held.some((chunks) => chunks > 0);
  }

  /** A lane holds a chunk until its answer was taken in, which must not be rejected. */
  add(lane: number, taken: Promise<void>): void {
    this.#held[lane]!++;
    void taken.finally(() => {
      this.#held[lane]!--;
      this.wake();
    });
  }

  /** Whoever waits goes on. */
  wake(): void {
    this.#wake?.();
  }

  /** Until an answer was taken in, or there is another reason to look again. */
  wait(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }
}
