import { BOUNDED, KIND, ROW, SKIPPED, type DetailEvent, type StepEvent } from "../../messages/lane-messages.ts";

export const UNKNOWN = 0;
export const UNDER_WAY = 1;
export const KNOWN = 2;
export const COMMITTED = 3;

/**
 * What is under way or known of one node's actions before it is committed. It stands for the path that it is executed along, not
 * for the state: a node that is opened again along another path gets another one.
 */
export class NodeWork {
  /** The node's number; -1 while the node is only predicted. */
  node: number;
  readonly parent: NodeWork | undefined;
  readonly action: number;
  readonly depth: number;
  readonly lo: number;
  readonly hi: number;
  image: unknown;
  /** Works of predicted children, by action. */
  children: Map<number, NodeWork> | undefined;
  news: Map<number, StepEvent> | undefined;
  details: Map<number, DetailEvent> | undefined;
  images: Map<number, unknown> | undefined;
  occurrences: Map<number, readonly string[]> | undefined;
  /** No longer wanted: what comes back is counted and forgotten. */
  dropped = false;
  #rows: Int32Array | undefined;
  #base = 0;
  #states: Uint8Array | undefined;
  #whole: 0 | 1 | 2 = UNKNOWN;
  /** Actions 0 to this one (excluded) were committed one after the other. */
  #inOrder = 0;

  constructor(node: number, parent: NodeWork | undefined, action: number, depth: number, lo: number, hi: number, image: unknown) {
    this.node = node;
    this.parent = parent;
    this.action = action;
    this.depth = depth;
    this.lo = lo;
    this.hi = hi;
    this.image = image;
  }

  /** As {@link UnitRequest.uncertain}, while the node is only predicted. */
  get uncertain(): boolean {
    return this.parent !== undefined && (this.parent.rows[this.parent.at(this.action) + KIND]! & BOUNDED) !== 0;
  }

  state(action: number): number {
    return this.#states === undefined ? this.#whole : this.#states[action]!;
  }

  /** Marks actions as under way. */
  begin(from: number, to: number, actions: number): void {
    if (from === 0 && to === actions && this.#states === undefined) this.#whole = UNDER_WAY;
    else this.#split(actions).fill(UNDER_WAY, from, to);
  }

  /** Gives actions back that were under way and did not come through. */
  abandon(from: number, to: number, actions: number): void {
    this.#split(actions).fill(UNKNOWN, from, to);
  }

  /** Takes in outcomes: rows of the actions from `from` on, beginning at int `base` of `rows`. */
  learn(from: number, to: number, rows: Int32Array, base: number, actions: number): void {
    if (from === 0 && to === actions && this.#states === undefined) {
      this.#rows = rows;
      this.#base = base;
      this.#whole = KNOWN;
      return;
    }
    this.#split(actions).fill(KNOWN, from, to);
    this.#rows!.set(rows.subarray(base, base + (to - from) * ROW), from * ROW);
  }

  get rows(): Int32Array {
    return this.#rows!;
  }

  /** Index of an action's row in {@link rows}. */
  at(action: number): number {
    return this.#base + action * ROW;
  }

  /** The outcome of an action is committed. */
  commit(action: number, actions: number): void {
    if (this.#states === undefined && action === this.#inOrder) this.#inOrder++;
    else this.#split(actions)[action] = COMMITTED;
  }

  /** Whether every action is committed. */
  settled(actions: number): boolean {
    if (this.#states === undefined) return this.#inOrder >= actions;
    return this.#states.every((state) => state === COMMITTED);
  }

  /** How many known executions are not committed. */
  uncommitted(actions: number): number {
    let count = 0;
    for (let action = this.#inOrder; action < actions; action++) {
      if (this.state(action) === KNOWN && (this.#rows![this.at(action) + KIND]! & 0xff) !== SKIPPED) count++;
    }
    return count;
  }

  /** From here on every action has a state and a row of its own. */
  #split(actions: number): Uint8Array {
    if (this.#states !== undefined) return this.#states;
    this.#states = new Uint8Array(actions).fill(this.#whole);
    this.#states.fill(COMMITTED, 0, this.#inOrder);
    this.#inOrder = 0;
    const own = new Int32Array(actions * ROW);
    if (this.#rows !== undefined) own.set(this.#rows.subarray(this.#base, this.#base + own.length));
    this.#rows = own;
    this.#base = 0;
    return this.#states;
  }
}
