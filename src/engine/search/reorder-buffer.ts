import { SnapshotStore } from "../graph/snapshot-store.ts";
import type { Expansion, SnapshotEvent, StepEvent, UnitRequest } from "../../messages/lane-messages.ts";
import { FAILED, KIND, ROW, SKIPPED } from "../../messages/lane-messages.ts";
import { UNCERTAIN, type NodeTable } from "../graph/node-table.ts";
import { NodeWork } from "./node-work.ts";

/** A range of one work's actions, given to a lane. */
export interface Assignment {
  readonly work: NodeWork;
  readonly from: number;
  readonly to: number;
}

/**
 * The reorder buffer: what was executed or is under way, by node, until it is committed in order. It also keeps the captured
 * states of nodes that wait in the frontier.
 */
export class ReorderBuffer {
  readonly #actions: number;
  readonly #nodes: NodeTable;
  readonly #works: Map<number, NodeWork> = new Map();
  readonly #images: SnapshotStore;
  /** Actions given to lanes and not back yet. */
  underWay = 0;
  /** Executed outcomes that wait to be committed. */
  buffered = 0;
  /** Executed outcomes received in all. */
  executed = 0;
  /** Executed outcomes of states behind outcomes that are not committed: guesses about what comes next that may still be right. */
  guessed = 0;
  /** Executed outcomes that nobody wants any more. */
  wasted = 0;

  constructor(actions: number, nodes: NodeTable, images: SnapshotStore = new SnapshotStore()) {
    this.#actions = actions;
    this.#nodes = nodes;
    this.#images = images;
  }

  get(node: number): NodeWork | undefined {
    return this.#works.get(node);
  }

  /** The work of a node, made when it is not there. */
  of(node: number, lo: number, hi: number): NodeWork {
    let work = this.#works.get(node);
    if (work === undefined) {
      work = new NodeWork(node, undefined, -1, this.#nodes.depth(node), lo, hi, this.#images.get(node));
      this.#works.set(node, work);
    }
    return work;
  }

  /** Keeps a captured state for a node that was just opened, and joins what was predicted of it. */
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

  /** The outcome did not open the state that was predicted behind it (another path came first): what is known of it there is not wanted. */
  dropPredicted(parent: NodeWork, action: number): void {
    const predicted = parent.children?.get(action);
    if (predicted === undefined) return;
    parent.children!.delete(action);
    this.#drop(predicted);
  }

  /** Keeps the root's captured state. */
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

  /** Takes an answer apart into the works that it is about. What did not come through is open again. */
  receive(assignments: readonly Assignment[], expansion: Expansion): void {
    const { rows, failure } = expansion;
    let at = 0;
    /** Of each unit the first action whose row was not taken. */
    const ends: number[] = [];
    for (let i = 0; i < assignments.length; i++) {
      const { work, from, to } = assignments[i]!;
      this.underWay -= to - from;
      const until = i < expansion.finished ? to : failure !== undefined && i === expansion.finished ? failure.action : from;
      // A lane that died says where it was, and brings nothing of what it did there.
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
    // What it says of the action that it was lost at is dropped with the row: a session that ended may have been the cause of it.
    const isTaken = ({ unit, action }: { readonly unit: number; readonly action: number }): boolean => action < ends[unit]!;
    for (const news of expansion.news) if (isTaken(news)) (assignments[news.unit]!.work.news ??= new Map()).set(news.action, news);
    for (const detail of expansion.details ?? [])
      if (isTaken(detail)) (assignments[detail.unit]!.work.details ??= new Map()).set(detail.action, detail);
    for (const one of expansion.occurrences ?? [])
      if (isTaken(one)) (assignments[one.unit]!.work.occurrences ??= new Map()).set(one.action, one.names);
    for (const image of expansion.images) if (isTaken(image)) keepImage(assignments, image);
  }

  /** Takes in an outcome that was committed before, so that it is committed again. */
  recall(work: NodeWork, action: number, row: Int32Array, news: StepEvent | undefined): void {
    if ((row[KIND]! & 0xff) !== SKIPPED) {
      this.executed++;
      this.buffered++;
    }
    work.learn(action, action + 1, row, 0, this.#actions);
    if (news !== undefined) (work.news ??= new Map()).set(action, news);
  }

  /** Gives a unit up: its first action gets an outcome without a state. */
  fail({ work, from }: Assignment): void {
    const row = new Int32Array(ROW);
    row[KIND] = FAILED;
    this.executed++;
    this.#taken(work, 1);
    work.learn(from, from + 1, row, 0, this.#actions);
  }

  /** One outcome was committed as an executed step. */
  committed(): void {
    this.buffered--;
  }

  /** All of a node's actions were committed. */
  finish(node: number): void {
    this.#works.delete(node);
    this.#images.delete(node);
  }

  /** The node is to be executed along another path: what is known or under way is no longer wanted. `committedTo`: actions committed already. */
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

  /** As {@link UnitRequest.draws}. */
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
