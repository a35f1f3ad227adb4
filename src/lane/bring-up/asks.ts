/**
 * Counts the calls of user code that may send requests. With the count, an external store distinguishes the lane's writes from writes of other
 * clients. Counting slows down every step a little, so it only happens on lanes with an external store.
 */
export class Asks {
  /** `true` if the lane has an external store. */
  isNeeded = false;
  isPending: () => boolean = () => false;
  #count = 0;
  #open = 0;

  /** Returns the number of calls of user code so far. `undefined` while user code runs or a request waits for its answer. */
  readonly count = (): number | undefined => (this.#open > 0 || this.isPending() ? undefined : this.#count);

  /** Calls user code that may send requests to the target. */
  during<T>(work: () => T): T {
    if (!this.isNeeded) return work();
    this.#count++;
    this.#open++;
    const over = (): void => void this.#open--;
    try {
      const result = work();
      // Attached before the caller can await `result`, so the call counts as ended when the caller continues.
      if (result instanceof Promise) result.then(over, over);
      else over();
      return result;
    } catch (error) {
      over();
      throw error;
    }
  }
}
