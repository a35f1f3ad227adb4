import { SnapshotStore } from "../graph/snapshot-store.ts";
import type { Expansion, SnapshotEvent, StepEvent, UnitRequest } from "../../messages/lane-messages.ts";
import { FAILED, KIND, ROW, SKIPPED } from "../../messages/lane-messages.ts";
import { UNCERTAIN, type NodeTable } from "../graph/node-table.ts";
import { NodeWork } from "./node-work.ts";

/** A range of actions of one node work that is given to a lane. */
export interface Assignment {
  readonly work: NodeWork;
  readonly from: number;
  readonly to: number;
}

/**
 * The reorder buffer: outcomes that are in progress or executed, by node, until they are committed in order. It also keeps the snapshots of nodes
 * that wait in the frontier.
 */
export class ReorderBuffer {
  readonly #actions: number;
  readonly #nodes: NodeTable;
  readonly #works: Map<number, NodeWork> = new Map();
  readonly #images: SnapshotStore;
  /** Actions that lanes have in progress. */
  underWay = 0;
  /** Executed outcomes that wait to be committed. */
  buffered = 0;
  /** Executed outcomes that were received in all. */
  executed = 0;
  /** Executed outcomes of states behind uncommitted outcomes: predictions that may still be right. */
  guessed = 0;
  /** Executed outcomes that are no longer needed. */
  wasted = 0;

  constructor(actions: number, nodes: NodeTable, images: SnapshotStore = new SnapshotStore()) {
    this.#actions = actions;
    this.#nodes = nodes;
    this.#images = images;
  }

  get(node: number): NodeWork | undefined {
    return this.#works.get(node);
  }

  /** Returns the work of a node, and creates it if necessary. */
  of(node: number, lo: number, hi: number): NodeWork {
    let work = this.#works.get(node);
    if (work === undefined) {
      work = new NodeWork({ node, parent: undefined, action: -1, depth: this.#nodes.depth(node), lo, hi, image: this.#images.get(node) });
      this.#works.set(node, work);
    }
    return work;
  }

  /** Keeps a snapshot for a node that was just opened, and adopts the predicted work for it. */
  adopt(node: number, parent: number, action: number): void {
    const work = this.#works.get(parent);
    const image = work?.images?.get(action);
    if (image !== undefined) this.#images.put(node, image);
    const predicted = work?.children?.get(action);
    if (predicted === undefined) return;
    work!.children!.delete(action);
    predicted.node = node;
    this.guessed -= predicted.uncommitted(this.#actions);
    this.#works.set(node, predicted);
  }

  /** Drops the predicted work behind an outcome that did not open its state, because another path reached the state first. */
  dropPredicted(parent: NodeWork, action: number): void {
    const predicted = parent.children?.get(action);
    if (predicted === undefined) return;
    parent.children!.delete(action);
    this.#drop(predicted);
  }

  /** Keeps the snapshot of the root state. */
  adoptRoot(image: unknown): void {
    if (image !== undefined) this.#images.put(0, image);
  }

  image(node: number): unknown {
    return this.#images.get(node);
  }

  begin({ work, from, to }: Assignment): void {
    work.begin(from, to, this.#actions);
    this.underWay += to - from;
  }

  /** Distributes an answer to the node works that it belongs to. Actions that did not finish become unknown again. */
  receive(assignments: readonly Assignment[], expansion: Expansion): void {
    const { rows, failure } = expansion;
    let at = 0;
    /** For each unit, the first action whose row was not taken. */
    const ends: number[] = [];
    for (let i = 0; i < assignments.length; i++) {
      const { work, from, to } = assignments[i]!;
      this.underWay -= to - from;
      const until = i < expansion.finished ? to : failure !== undefined && i === expansion.finished ? failure.action : from;
      // A lane that died names the action in progress, but brings no rows of that unit.
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
    // Step events of the action at which the lane was lost are dropped with its row: a session that ended may be their cause.
    const isTaken = ({ unit, action }: { readonly unit: number; readonly action: number }): boolean => action < ends[unit]!;
    for (const news of expansion.news) if (isTaken(news)) (assignments[news.unit]!.work.news ??= new Map()).set(news.action, news);
    for (const detail of expansion.details ?? [])
      if (isTaken(detail)) (assignments[detail.unit]!.work.details ??= new Map()).set(detail.action, detail);
    for (const one of expansion.occurrences ?? [])
      if (isTaken(one)) (assignments[one.unit]!.work.occurrences ??= new Map()).set(one.action, one.names);
    for (const one of expansion.calls ?? []) if (isTaken(one)) (assignments[one.unit]!.work.calls ??= new Map()).set(one.action, one.codes);
    for (const image of expansion.images) if (isTaken(image)) keepImage(assignments, image);
  }

  /** Takes in a stored outcome, so that it can be recommitted. */
  recall(work: NodeWork, action: number, row: Int32Array, news: StepEvent | undefined): void {
    if ((row[KIND]! & 0xff) !== SKIPPED) {
      this.executed++;
      this.buffered++;
    }
    work.learn(action, action + 1, row, 0, this.#actions);
    if (news !== undefined) (work.news ??= new Map()).set(action, news);
  }

  /** Gives a unit up. Its first action gets an outcome without a state. */
  fail({ work, from }: Assignment): void {
    const row = new Int32Array(ROW);
    row[KIND] = FAILED;
    this.executed++;
    this.#taken(work, 1);
    work.learn(from, from + 1, row, 0, this.#actions);
  }

  /** Counts an outcome that was committed as an executed step. */
  committed(): void {
    this.buffered--;
  }

  /** Removes a node whose actions were all committed. */
  finish(node: number): void {
    this.#works.delete(node);
    this.#images.delete(node);
  }

  /** Drops known and pending outcomes of a node, since the node will be executed along another path. */
  drop(node: number): void {
    const work = this.#works.get(node);
    if (work !== undefined) this.#drop(work);
    this.#works.delete(node);
  }

  /** Drops everything that is not committed. */
  dropAll(): void {
    for (const work of this.#works.values()) this.#drop(work);
    this.#works.clear();
    this.#images.clear();
  }

  request({ work, from, to }: Assignment, extra: Pick<UnitRequest, "suspect">): UnitRequest {
    const uncertain = work.node >= 0 ? this.#nodes.has(work.node, UNCERTAIN) : work.uncertain;
    return { path: this.path(work), from, to, lo: work.lo, hi: work.hi, uncertain, image: work.image, draws: this.draws(work), ...extra };
  }

  path(work: NodeWork): number[] {
    if (work.node >= 0) return this.#nodes.path(work.node);
    return [...this.path(work.parent!), work.action];
  }

  /** Like {@link UnitRequest.draws}. */
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
    this.buffered -= uncommitted;
    this.wasted += uncommitted;
    if (work.node < 0) this.guessed -= uncommitted;
    for (const child of work.children?.values() ?? []) this.#drop(child);
  }
}

function keepImage(assignments: readonly Assignment[], { unit, action, image }: SnapshotEvent): void {
  (assignments[unit]!.work.images ??= new Map()).set(action, image);
}

function countExecuted(rows: Int32Array, at: number, count: number): number {
  let executed = 0;
  for (let i = 0; i < count; i++) if ((rows[at + i * ROW + KIND]! & 0xff) !== SKIPPED) executed++;
  return executed;
}
