export interface Opened {
  readonly lo: number;
  readonly hi: number;
  readonly shape: number;
  /** `true` if the edge that opened the state brought a new (action, status, shape). */
  readonly novel: boolean;
}

/** The nodes of a frontier whose order is fixed as soon as they are opened. Positions count from the first node that was ever opened. */
export interface FrontierQueue {
  /** The position of the node that is being committed. */
  readonly head: number;
  /** The position after the last opened node. */
  readonly end: number;
  /** Returns the node at a position from `head` (included) to `end` (excluded). */
  at(position: number): number;
}

/**
 * The states that wait, in the strategy's order: a sequence of (state, action) pairs to commit. A reference is a node's number, or a negative number
 * for a predicted state.
 *
 * Usage: `peek()`, commit the pair, `open()` the state that the pair led to, `take()`. To look ahead, the scheduler uses a `fork()` in the same way,
 * on outcomes that are not committed yet. The same code thus decides and predicts the order.
 */
export interface Frontier {
  /** `true` if all actions of a node are committed one after the other, so that a node is best executed as a whole. */
  readonly nodewise: boolean;
  /**
   * The waiting nodes, if nodes that are opened later never come before them. Lanes then get segments of the queue, without prediction, and never
   * return to a node. `undefined` if later outcomes decide the order.
   */
  readonly queue?: FrontierQueue | undefined;
  /** Finds the next pair and keeps it until `take`. Returns `false` if no pair is left. */
  peek(): boolean;
  /** The reference of the current pair's state. Valid after a `peek` that returned `true`. */
  readonly ref: number;
  readonly action: number;
  open(ref: number, opened: Opened): void;
  take(): void;
  /** Returns an independent copy in constant time. This frontier must not change while the copy is used. A fork cannot be forked again. */
  fork(): Frontier;
  /** Number of opened references that are not finished, including the current one. */
  readonly size: number;
  /** Yields every reference that is not finished, for the end of a run. */
  waiting(): Iterable<number>;
}
