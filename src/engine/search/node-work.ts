import { BOUNDED, KIND, ROW, SKIPPED, type DetailEvent, type StepEvent } from "../../messages/lane-messages.ts";

export const UNKNOWN = 0;
export const UNDER_WAY = 1;
export const KNOWN = 2;
export const COMMITTED = 3;

/** The place of a node whose actions are executed. */
export interface NodePlace {
  /** The node's number; -1 while the node is only predicted. */
  readonly node: number;
  /** The node work of the predecessor, for a node that is only predicted. */
  readonly parent: NodeWork | undefined;
  /** The action that leads from the parent to the node; -1 without a parent. */
  readonly action: number;
  readonly depth: number;
  readonly lo: number;
  readonly hi: number;
  /** A snapshot of the state; `undefined`: there is none. */
  readonly image: unknown;
}

/**
 * The outcomes of one node's actions that are in progress or known and not committed yet. They belong to the path along which the node is executed,
 * not to the state: a node that gets another path gets new node work.
 */
export class NodeWork {
  node: number;
  readonly parent: NodeWork | undefined;
  readonly action: number;
  readonly depth: number;
  readonly lo: number;
  readonly hi: number;
  image: unknown;
  /** The node work of predicted children, by action. */
  children: Map<number, NodeWork> | undefined;
  news: Map<number, StepEvent> | undefined;
  details: Map<number, DetailEvent> | undefined;
  images: Map<number, unknown> | undefined;
  occurrences: Map<number, readonly string[]> | undefined;
  calls: Map<number, readonly number[]> | undefined;
  /** `true`: the outcomes are no longer needed. Outcomes that still arrive are counted and dropped. */
  dropped = false;
  #rows: Int32Array | undefined;
  #base = 0;
  #states: Uint8Array | undefined;
  #whole: 0 | 1 | 2 = UNKNOWN;
  /** The actions before this one were committed one after the other. */
  #inOrder = 0;

  constructor({ node, parent, action, depth, lo, hi, image }: NodePlace) {
    this.node = node;
    this.parent = parent;
    this.action = action;
    this.depth = depth;
    this.lo = lo;
    this.hi = hi;
    this.image = image;
  }

  /** Like {@link UnitRequest.uncertain}, while the node is only predicted. */
  get uncertain(): boolean {
    return this.parent !== undefined && (this.parent.rows[this.parent.at(this.action) + KIND]! & BOUNDED) !== 0;
  }

  state(action: number): number {
    return this.#states === undefined ? this.#whole : this.#states[action]!;
  }

  /** Marks actions as in progress. */
  begin(from: number, to: number, actions: number): void {
    if (from === 0 && to === actions && this.#states === undefined) this.#whole = UNDER_WAY;
    else this.#split(actions).fill(UNDER_WAY, from, to);
  }

  /** Marks actions as unknown again if their execution did not finish. */
  abandon(from: number, to: number, actions: number): void {
    this.#split(actions).fill(UNKNOWN, from, to);
  }

  /** Stores outcomes: rows of the actions from `from` on, beginning at int `base` of `rows`. */
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

  /** Returns the index of an action's row in {@link rows}. */
  at(action: number): number {
    return this.#base + action * ROW;
  }

  /** Marks the outcome of an action as committed. */
  commit(action: number, actions: number): void {
    if (this.#states === undefined && action === this.#inOrder) this.#inOrder++;
    else this.#split(actions)[action] = COMMITTED;
  }

  /** Returns `true` if every action is committed. */
  settled(actions: number): boolean {
    if (this.#states === undefined) return this.#inOrder >= actions;
    return this.#states.every((state) => state === COMMITTED);
  }

  /** Returns the number of known executions that are not committed. */
  uncommitted(actions: number): number {
    let count = 0;
    for (let action = this.#inOrder; action < actions; action++) {
      if (this.state(action) === KNOWN && (this.#rows![this.at(action) + KIND]! & 0xff) !== SKIPPED) count++;
    }
    return count;
  }

  /** Gives every action its own state and row from here on. */
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
