import { SnapshotStore } from "../graph/snapshot-store.ts";
import type { Expansion, SnapshotEvent, StepEvent, UnitRequest } from "../../messages/lane-messages.ts";
import { KIND_BITS, FAILED, KIND, ROW, SKIPPED } from "../../messages/lane-messages.ts";
import { UNCERTAIN, type NodeTable } from "../graph/node-table.ts";
import { NodeWork } from "./node-work.ts";

/** A range of one node's actions, `from` (included) to `to` (excluded), that a lane executes. */
export interface Assignment {
  readonly work: NodeWork;
  readonly from: number;
  readonly to: number;
}

/**
 * Keeps the outcomes of executed actions, by node, until they can be committed in order. Also keeps the snapshots of nodes that wait in the frontier.
 */
export class ReorderBuffer {
  readonly #actions: number;
  readonly #nodes: NodeTable;
  readonly #works: Map<number, NodeWork> = new Map();
  readonly #snapshots: SnapshotStore;
  /** The number of committed actions of nodes whose outcomes were dropped. */
  readonly #committed: Map<number, number> = new Map();
  /** Number of actions that lanes are executing. */
  underWay = 0;
  /** Number of outcomes that arrived and wait to be committed. In this number and the numbers below, skipped actions do not count. */
  buffered = 0;
  /** Number of outcomes that arrived since the search began. */
  executed = 0;
  /** Number of outcomes that arrived for predicted states, before it is known which of these states will join the frontier. */
  guessed = 0;
  /** Number of outcomes that arrived and are no longer needed, for example after a wrong prediction. */
  wasted = 0;

  constructor(actions: number, nodes: NodeTable, snapshots: SnapshotStore = new SnapshotStore()) {
    this.#actions = actions;
    this.#nodes = nodes;
    this.#snapshots = snapshots;
  }

  get(node: number): NodeWork | undefined {
    return this.#works.get(node);
  }

  /** Returns the {@link NodeWork} of a node, and creates it if there is none. */
  of(node: number, lo: number, hi: number): NodeWork {
    let work = this.#works.get(node);
    if (work === undefined) {
      const snapshot = this.#snapshots.get(node);
      const place = { node, parent: undefined, action: -1, depth: this.#nodes.depth(node), lo, hi, snapshot };
      work = new NodeWork(place);
      work.replaces(this.#committed.get(node) ?? 0);
      this.#works.set(node, work);
    }
    return work;
  }

  /**
   * Gives a node that has just joined the frontier its snapshot and its predicted {@link NodeWork}, which its parent's {@link NodeWork} held until
   * now.
   */
  adopt(node: number, parent: number, action: number): void {
    const work = this.#works.get(parent);
    const snapshot = work?.snapshots?.get(action);
    if (snapshot !== undefined) this.#snapshots.put(node, snapshot);
    const predicted = work?.children?.get(action);
    if (predicted === undefined) return;
    work!.children!.delete(action);
    predicted.node = node;
    predicted.replaces(this.#committed.get(node) ?? 0);
    this.guessed -= predicted.uncommitted(this.#actions);
    this.#works.set(node, predicted);
  }

  /** Drops the predicted outcomes of a state that did not join the frontier, because another path reached the state first. */
  dropPredicted(parent: NodeWork, action: number): void {
    const predicted = parent.children?.get(action);
    if (predicted === undefined) return;
    parent.children!.delete(action);
    this.#drop(predicted);
  }

  adoptRoot(snapshot: unknown): void {
    if (snapshot !== undefined) this.#snapshots.put(0, snapshot);
  }

  snapshot(node: number): unknown {
    return this.#snapshots.get(node);
  }

  begin({ work, from, to }: Assignment): void {
    work.begin(from, to, this.#actions);
    this.underWay += to - from;
  }

  /** Stores the outcomes of a lane's answer. Marks actions that the lane did not finish as unknown again. */
  receive(assignments: readonly Assignment[], expansion: Expansion): void {
    const { rows, failure } = expansion;
    let at = 0;
    /** For each unit of the answer: the first action whose outcome was not stored. */
    const ends: number[] = [];
    for (let i = 0; i < assignments.length; i++) {
      const { work, from, to } = assignments[i]!;
      this.underWay -= to - from;
      const until = i < expansion.finished ? to : failure !== undefined && i === expansion.finished ? failure.action : from;
      // The answer of a lane that died names the action in progress, but contains no rows for the unit of this action.
      const done = Math.min(Math.max(until - from, 0), (rows.length - at) / ROW);
      const executed = countExecuted(rows, at, done);
      this.executed += executed;
      if (done > 0) {
        work.learn(from, from + done, rows, at, this.#actions);
        this.#taken(work, executed);
      }
      at += done * ROW;
      ends.push(from + done);
      if (from + done < to) work.abandon(from + done, to, this.#actions);
    }
    // Ignore step events of the action at which the lane was lost, since the loss of the lane may have caused these step events.
    const isTaken = ({ unit, action }: { readonly unit: number; readonly action: number }): boolean => action < ends[unit]!;
    for (const stepEvents of expansion.stepEvents)
      if (isTaken(stepEvents)) (assignments[stepEvents.unit]!.work.stepEvents ??= new Map()).set(stepEvents.action, stepEvents);
    for (const detail of expansion.details ?? [])
      if (isTaken(detail)) (assignments[detail.unit]!.work.details ??= new Map()).set(detail.action, detail);
    for (const one of expansion.occurrences ?? [])
      if (isTaken(one)) (assignments[one.unit]!.work.occurrences ??= new Map()).set(one.action, one.names);
    for (const one of expansion.calls ?? []) if (isTaken(one)) (assignments[one.unit]!.work.calls ??= new Map()).set(one.action, one.codes);
    for (const snapshot of expansion.snapshots) if (isTaken(snapshot)) keepSnapshot(assignments, snapshot);
  }

  /** Stores an outcome from the run log, which is then committed like an executed outcome. */
  recall(work: NodeWork, action: number, row: Int32Array, stepEvents: StepEvent | undefined): void {
    if ((row[KIND]! & KIND_BITS) !== SKIPPED) {
      this.executed++;
      this.buffered++;
    }
    work.learn(action, action + 1, row, 0, this.#actions);
    if (stepEvents !== undefined) (work.stepEvents ??= new Map()).set(action, stepEvents);
  }

  /** Gives up a unit after too many attempts: the unit's first action gets an outcome without a state. */
  fail({ work, from }: Assignment): void {
    const row = new Int32Array(ROW);
    row[KIND] = FAILED;
    this.executed++;
    this.#taken(work, 1);
    work.learn(from, from + 1, row, 0, this.#actions);
  }

  /** Counts one committed outcome of an executed step. */
  committed(): void {
    this.buffered--;
  }

  /** Removes the outcomes and the snapshot of a node whose actions are all committed. */
  finish(node: number): void {
    this.#works.delete(node);
    this.#snapshots.delete(node);
    this.#committed.delete(node);
  }

  /** Drops all outcomes of a node, including those that lanes are still executing, because the node gets another path. */
  drop(node: number): void {
    const work = this.#works.get(node);
    if (work !== undefined) this.#drop(work);
    this.#works.delete(node);
  }

  dropAll(): void {
    for (const work of this.#works.values()) this.#drop(work);
    this.#works.clear();
    this.#snapshots.clear();
  }

  request({ work, from, to }: Assignment, extra: Pick<UnitRequest, "suspect">): UnitRequest {
    const uncertain = work.node >= 0 ? this.#nodes.has(work.node, UNCERTAIN) : work.uncertain;
    return {
      path: this.path(work),
      from,
      to,
      lo: work.lo,
      hi: work.hi,
      uncertain,
      snapshot: work.snapshot,
      draws: this.draws(work),
      ...extra,
    };
  }

  path(work: NodeWork): number[] {
    if (work.node >= 0) return this.#nodes.path(work.node);
    return [...this.path(work.parent!), work.action];
  }

  /** Returns the paths from which the data of each step is drawn, as in {@link UnitRequest.draws}. */
  draws(work: NodeWork): UnitRequest["draws"] {
    if (work.node >= 0) return this.#nodes.draws(work.node);
    const before = this.draws(work.parent!);
    return before === undefined ? undefined : [...before, [...before.at(-1)!, work.action]];
  }

  #taken(work: NodeWork, executed: number): void {
    if (work.dropped) this.wasted += executed;
    else this.buffered += executed;
    if (!work.dropped && work.node < 0) this.guessed += executed;
  }

  #drop(work: NodeWork): void {
    const uncommitted = work.uncommitted(this.#actions);
    work.dropped = true;
    if (work.node >= 0 && work.committed > 0) this.#committed.set(work.node, work.committed);
    this.buffered -= uncommitted;
    this.wasted += uncommitted;
    if (work.node < 0) this.guessed -= uncommitted;
    for (const child of work.children?.values() ?? []) this.#drop(child);
  }
}

function keepSnapshot(assignments: readonly Assignment[], { unit, action, snapshot }: SnapshotEvent): void {
  (assignments[unit]!.work.snapshots ??= new Map()).set(action, snapshot);
}

function countExecuted(rows: Int32Array, at: number, count: number): number {
  let executed = 0;
  for (let i = 0; i < count; i++) if ((rows[at + i * ROW + KIND]! & KIND_BITS) !== SKIPPED) executed++;
  return executed;
}
