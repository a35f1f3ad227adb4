/**
 * Counts the calls of user code that may send requests. An external store uses the number to distinguish the lane's own writes from writes of other
 * clients. Counting slows every step down a little, so it is only done on lanes with an external store.
 */
export class Asks {
  /** `true` if the lane has an external store. */
  isNeeded = false;
  isPending: () => boolean = () => false;
  #count = 0;
  #open = 0;

  /**
   * Returns the number of calls of user code so far. Returns `undefined` while user code runs or a request waits for its answer, since a write could
   * then be the lane's own.
   */
  readonly count = (): number | undefined => (this.#open > 0 || this.isPending() ? undefined : this.#count);

  /** Calls user code that may send requests to the target, and counts the call. */
  during<T>(work: () => T): T {
    if (!this.isNeeded) return work();
    this.#count++;
    this.#open++;
    const over = (): void => void this.#open--;
    try {
      const result = work();
      // Attach this before the caller awaits `result`. {@link count} then no longer counts the call as running when the caller continues.
      if (result instanceof Promise) result.then(over, over);
      else over();
      return result;
    } catch (error) {
      over();
      throw error;
    }
  }
}
