import type { WriteLedger } from "../../stores/external/write-ledger.ts";

/**
 * Counts the calls of user code that may send requests. With this number, an external store distinguishes the lane's own writes from writes by other
 * clients. Counting slows every step down a little, so only lanes with an external store count the calls.
 */
export class Asks {
  /** `true` if the lane has an external store. */
  isNeeded = false;
  isPending: () => boolean = () => false;
  /** The writes to the external stores of the lane. `undefined` if the lane has no external store. */
  writes: WriteLedger | undefined;
  #count = 0;
  #open = 0;

  /**
   * Returns the number of calls of user code so far. Returns `undefined` while user code runs or a request waits for its answer, since the lane
   * itself could then be writing.
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
      // Register the callbacks before the caller awaits `result`, so that the call counts as ended when the caller continues.
      if (result instanceof Promise) result.then(over, over);
      else over();
      return result;
    } catch (error) {
      over();
      throw error;
    }
  }
}
