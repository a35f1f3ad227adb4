export interface Opened {
  readonly lo: number;
  readonly hi: number;
  readonly shape: number;
  /** `true` if the edge that led to the state brought a new combination of action, status and shape (the state's structure). */
  readonly novel: boolean;
}

/** The waiting nodes of a frontier that never changes the order of its nodes. Positions count from the first node that ever joined the frontier. */
export interface FrontierQueue {
  /** The position of the node whose actions are being committed. */
  readonly head: number;
  /** The position after the last node. */
  readonly end: number;
  /** Returns the node at a position from `head` (included) to `end` (excluded). */
  at(position: number): number;
}

/**
 * The waiting states in the order of the strategy, as a sequence of (state, action) pairs. A reference identifies a state: a node's number, or a
 * negative number for a predicted state.
 *
 * Usage: call `peek()`, commit the pair, call `open()` for the state that the pair led to, and call `take()`. To look ahead, the scheduler calls
 * `fork()` and makes the same calls on the copy, for outcomes that are not committed yet. Prediction and decision thus use the same code.
 */
export interface Frontier {
  /** `true` if all actions of a node are committed one after the other. A single lane should then execute all actions of the node. */
  readonly nodewise: boolean;
  /**
   * The waiting nodes, if nodes that join the frontier later always come after all waiting nodes. Lanes then get parts of this queue, without
   * prediction. `undefined` if later outcomes can change the order of nodes.
   */
  readonly queue?: FrontierQueue | undefined;
  /** Selects the next (state, action) pair, which stays selected until `take`. Returns `false` if no pair is left. */
  peek(): boolean;
  /** The reference of the selected pair's state. Only valid after `peek` has returned `true`. */
  readonly ref: number;
  readonly action: number;
  open(ref: number, opened: Opened): void;
  take(): void;
  /**
   * Returns an independent copy in constant time, for looking ahead. The original must not change while the copy is used. A copy cannot be copied
   * again.
   */
  fork(): Frontier;
  /** Number of states with actions that were not taken, including the selected state. */
  readonly size: number;
  /** Yields the references of all states with actions that were not taken. Called at the end of a run. */
  waiting(): Iterable<number>;
}
