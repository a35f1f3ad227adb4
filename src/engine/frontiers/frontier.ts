/** What an order may look at when a state is opened. */
export interface Opened {
  readonly lo: number;
  readonly hi: number;
  /** Hash of the state's shape. */
  readonly shape: number;
  /** The edge that led here brought a new (action, status, shape). */
  readonly novel: boolean;
}

/**
 * A strategy at work: the sequence in which (state, action) pairs are committed. A reference is a node's number, or a negative
 * number for a state that is only predicted.
 *
 * Use: `peek()`, commit the pair, `open()` what it led to, `take()`. The scheduler runs a `fork()` ahead in the same way on
 * outcomes that are not committed yet, so what is executed next is predicted by the very code that decides.
 */
export interface Frontier {
  /** All actions of a node are committed one after the other, so that a node is best executed whole. */
  readonly nodewise: boolean;
  /** Finds the next pair and keeps it until `take`; `false`: nothing is left. */
  peek(): boolean;
  /** Valid after a `peek` that returned true. */
  readonly ref: number;
  readonly action: number;
  open(ref: number, opened: Opened): void;
  take(): void;
  /** An independent copy that leaves this one untouched; made in constant time. This one must not change while it is used. Of a fork there is no fork. */
  fork(): Frontier;
  /** References opened and not finished, the current one included. */
  readonly size: number;
  /** Every reference that is not finished. For the end of a run. */
  waiting(): Iterable<number>;
}
