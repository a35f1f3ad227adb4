/** The facts about an opened state that a strategy may use. */
export interface Opened {
  readonly lo: number;
  readonly hi: number;
  /** Hash of the state's shape. */
  readonly shape: number;
  /** The edge that opened the state brought a new (action, status, shape). */
  readonly novel: boolean;
}

/** The nodes of a frontier whose places are fixed as soon as they are opened. Positions count from the first node that was ever opened. */
export interface FrontierQueue {
  /** Position of the node that is being committed. */
  readonly head: number;
  /** Position after the last opened node. */
  readonly end: number;
  /** Returns the node at a position from `head` to before `end`. */
  at(position: number): number;
}

/**
 * A strategy at work: the sequence in which (state, action) pairs are committed. A reference is a node's number, or a negative number for a state
 * that is only predicted.
 *
 * Use: `peek()`, commit the pair, `open()` the state that it led to, `take()`. The scheduler runs a `fork()` ahead in the same way on outcomes that
 * are not committed yet. One piece of code thus decides and predicts the order.
 */
export interface Frontier {
  /** All actions of a node are committed one after the other, so a node is best executed as a whole. */
  readonly nodewise: boolean;
  /**
   * The waiting nodes, if nothing that is opened later comes before them: lanes get segments of the queue without prediction, and a node is never
   * returned to. `undefined`: later outcomes decide the order.
   */
  readonly queue?: FrontierQueue | undefined;
  /** Finds the next pair and keeps it until `take`. `false`: no pair is left. */
  peek(): boolean;
  /** Valid after a `peek` that returned true. */
  readonly ref: number;
  readonly action: number;
  open(ref: number, opened: Opened): void;
  take(): void;
  /** Returns an independent copy in constant time. This frontier must not change while the copy is used. A fork cannot be forked again. */
  fork(): Frontier;
  /** The number of references that are opened and not finished, including the current one. */
  readonly size: number;
  /** Yields every reference that is not finished; for the end of a run. */
  waiting(): Iterable<number>;
}
