import { KIND_BITS, BOUNDED, KIND, ROW, SKIPPED, type DetailEvent, type StepEvent } from "../../messages/lane-messages.ts";

export const UNKNOWN = 0;
export const UNDER_WAY = 1;
export const KNOWN = 2;
export const COMMITTED = 3;

/** Identifies the node for which a {@link NodeWork} is created. */
export interface NodePlace {
  /** The node's number in the graph. -1 for a predicted node, which is not committed. */
  readonly node: number;
  /** For a predicted node: the {@link NodeWork} of its parent. */
  readonly parent: NodeWork | undefined;
  /** The action that leads from the parent to the node. -1 without a parent. */
  readonly action: number;
  readonly depth: number;
  readonly lo: number;
  readonly hi: number;
  /** The snapshot of the node's state. `undefined` if there is none. */
  readonly snapshot: unknown;
}

/**
 * The outcomes of one node's actions that lanes are executing, or that are known and not committed. The outcomes belong to the path on which the node
 * was reached. If the node gets another path, it gets a new `NodeWork`.
 */
export class NodeWork {
  node: number;
  readonly parent: NodeWork | undefined;
  readonly action: number;
  readonly depth: number;
  readonly lo: number;
  readonly hi: number;
  snapshot: unknown;
  /** The predicted successors, by the action that leads to them. */
  children: Map<number, NodeWork> | undefined;
  stepEvents: Map<number, StepEvent> | undefined;
  details: Map<number, DetailEvent> | undefined;
  snapshots: Map<number, unknown> | undefined;
  occurrences: Map<number, readonly string[]> | undefined;
  calls: Map<number, readonly number[]> | undefined;
  /** `true` if the outcomes are no longer needed. Outcomes that arrive later are counted but not stored. */
  dropped = false;
  /** The number of the node's committed actions, including actions that an earlier `NodeWork` of the node committed. */
  committed = 0;
  /** `true` if an earlier `NodeWork` of the node committed some actions, so that their outcomes are missing here. */
  isPartial = false;
  #rows: Int32Array | undefined;
  #base = 0;
  #states: Uint8Array | undefined;
  #whole: 0 | 1 | 2 = UNKNOWN;
  /** All actions with an index below this number are committed. */
  #inOrder = 0;

  constructor({ node, parent, action, depth, lo, hi, snapshot }: NodePlace) {
    this.node = node;
    this.parent = parent;
    this.action = action;
    this.depth = depth;
    this.lo = lo;
    this.hi = hi;
    this.snapshot = snapshot;
  }

  /** Takes over from an earlier `NodeWork` of the same node. `committed`: the number of actions that the earlier `NodeWork` committed. */
  replaces(committed: number): void {
    this.committed = committed;
    this.isPartial = committed > 0;
  }

  /** `true` if the fingerprint of this predicted node must not be compared; see `UnitRequest.uncertain`. */
  get uncertain(): boolean {
    return this.parent !== undefined && (this.parent.rows[this.parent.at(this.action) + KIND]! & BOUNDED) !== 0;
  }

  state(action: number): number {
    return this.#states === undefined ? this.#whole : this.#states[action]!;
  }

  begin(from: number, to: number, actions: number): void {
    if (from === 0 && to === actions && this.#states === undefined) this.#whole = UNDER_WAY;
    else this.#split(actions).fill(UNDER_WAY, from, to);
  }

  /** Marks the actions `from` to `to` (excluded) as unknown again, because their execution did not finish. */
  abandon(from: number, to: number, actions: number): void {
    this.#split(actions).fill(UNKNOWN, from, to);
  }

  /** Stores the outcomes of the actions `from` to `to` (excluded). Their rows begin at index `base` of `rows`. */
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

  /** Returns the index in {@link rows} at which the row of an action begins. */
  at(action: number): number {
    return this.#base + action * ROW;
  }

  commit(action: number, actions: number): void {
    this.committed++;
    if (this.#states === undefined && action === this.#inOrder) this.#inOrder++;
    else this.#split(actions)[action] = COMMITTED;
  }

  settled(actions: number): boolean {
    return this.committed >= actions;
  }

  /** Returns the number of executed actions whose outcomes are known but not committed. */
  uncommitted(actions: number): number {
    let count = 0;
    for (let action = this.#inOrder; action < actions; action++) {
      if (this.state(action) === KNOWN && (this.#rows![this.at(action) + KIND]! & KIND_BITS) !== SKIPPED) count++;
    }
    return count;
  }

  /** Switches to a separate status for each action. From now on, some of the node's actions may be known or committed before its other actions. */
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
