/**
 * Counts the requests of a lane, to distinguish its writes to an external store from writes of others, which come while no request is in progress.
 * Counting costs a little at every step, and is only done where a store needs it.
 */
export class Asks {
  /** `true` if the lane has an external store. */
  isNeeded = false;
  /** Returns `true` if a request waits for its answer. */
  isPending: () => boolean = () => false;
  #count = 0;
  #open = 0;

  /** Returns how often user code was called until now; `undefined` while user code runs or a request waits for its answer. */
  readonly count = (): number | undefined => (this.#open > 0 || this.isPending() ? undefined : this.#count);

  /** Calls user code that may send requests to the target. */
  during<T>(work: () => T): T {
    if (!this.isNeeded) return work();
    this.#count++;
    this.#open++;
    const over = (): void => void this.#open--;
    try {
      const result = work();
      // This callback runs before those of anybody who awaits the same promise.
      if (result instanceof Promise) result.then(over, over);
      else over();
      return result;
    } catch (error) {
      over();
      throw error;
    }
  }
}
