/**
 * Counts what a lane asks of its target, so that a write to a user's own store which comes while nothing is asked can be told from the lane's.
 * Counting costs a little at every step, and is only done where a store needs it.
 */
export class Asks {
  /** A store of the lane is the user's. */
  isNeeded = false;
  /** Whether a request waits for its answer. */
  isPending: () => boolean = () => false;
  #count = 0;
  #open = 0;

  /** How often something was asked until now; `undefined` while a part of the user's code runs or a request waits for its answer. */
  readonly count = (): number | undefined => (this.#open > 0 || this.isPending() ? undefined : this.#count);

  /** Calls a part of the user's code, which may ask the target for something. */
  during<T>(work: () => T): T {
    if (!this.isNeeded) return work();
    this.#count++;
    this.#open++;
    const over = (): void => void this.#open--;
    try {
      const result = work();
      // Told before anybody who awaits the same promise.
      if (result instanceof Promise) result.then(over, over);
      else over();
      return result;
    } catch (error) {
      over();
      throw error;
    }
  }
}
