import type { Assignment, ReorderBuffer } from "./reorder-buffer.ts";
import { FAILED, FINDING, HI, KIND, LO, SHAPE, BROKEN, SKIPPED } from "../../messages/lane-messages.ts";
import { FOREIGN, type NodeTable } from "../graph/node-table.ts";
import type { Frontier, FrontierQueue } from "../frontiers/index.ts";
import { Segments } from "../graph/segments.ts";
import type { VisitedSet } from "../graph/visited-set.ts";
import { KNOWN, UNKNOWN, NodeWork } from "./node-work.ts";

/**
 * Milliseconds for which a chunk should keep a lane busy: much more than the 50 to 75 us that sending a chunk costs, but short enough to rebalance.
 */
const CHUNK_MS = 25;
/** Milliseconds below which work is not worth a message to another thread. */
const LEAST_MS = 0.5;
/** Number of queue positions that may be given out at the same time, per lane. This limits the number of outcomes that wait for a slow first node. */
const WINDOW = 4096;
/** Largest number of pairs that a prediction examines. */
const HORIZON = 20_000;
/**
 * Largest number of pairs that a prediction examines for strategies that switch nodes with every pair. Pairs farther ahead are hardly ever needed
 * next, and predicting them costs time on the main thread.
 */
const PAIRS_AHEAD = 256;
/**
 * States after uncommitted outcomes are predicted only while the share of wrong predictions in the commits is below this number. In a depth-first
 * search, another path nearly always reaches such a state first.
 */
const WRONG_SHARE = 0.1;
/** Number of wrong predictions that are allowed before {@link WRONG_SHARE} applies. */
const WRONG_AT_FIRST = 64;
/** Largest number of (state, action) pairs that a lane is given ahead of their turn. */
const PAIRS = 16;
/** Milliseconds for which a part of a node should keep a lane busy. Reaching the node costs about a tenth of that. */
const PART_MS = 2;
/** Milliseconds per action from which a node is split between lanes, although each lane has to reach the node. */
const SPLIT_MS = 0.5;

export interface SchedulerOptions {
  readonly actions: number;
  readonly mostLanes: number;
  readonly lanes: () => number;
  /** Milliseconds for which a chunk should keep a lane busy. Default: {@link CHUNK_MS}. */
  readonly chunkMs?: number | undefined;
  readonly maxDepth: number;
  readonly order: Frontier;
  readonly reorderBuffer: ReorderBuffer;
  readonly visited: VisitedSet;
  readonly nodes: NodeTable;
}

/**
 * Decides which actions are executed next. While a queue holds enough nodes, its segments are given to lanes. Otherwise a fork of the strategy looks
 * ahead: it treats known outcomes as committed, and assumes that unknown ones lead to no new state. The first pairs without an outcome are given out.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #segments: Segments | undefined;
  /** Smoothed milliseconds per action. */
  #actionMs = 0;
  /** Number of actions in a fair share, in the current round of dispatching. */
  #share: number | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#segments = options.order.queue && new Segments(options.order.queue, options.mostLanes);
  }

  /** `true` if calls are so slow that dispatching the next one costs nothing in comparison. */
  get #slow(): boolean {
    return this.#actionMs >= SPLIT_MS;
  }

  measured(busyMs: number, actions: number): void {
    if (actions === 0) return;
    const sample = busyMs / actions;
    this.#actionMs = this.#actionMs === 0 ? sample : 0.7 * this.#actionMs + 0.3 * sample;
  }

  /**
   * Returns work for a lane, or nothing. The pair that the commit waits for is always given out. `left`: number of steps that may still be committed.
   * `allowance`: the same without steps that are executed or in progress. `idle`: number of lanes without work, including this one.
   */
  next(lane: number, left: number, allowance: number, idle: number): readonly Assignment[] {
    const { actions } = this.#options;
    const { queue } = this.#options.order;
    const lanes = this.#options.lanes();
    const room = Math.max(this.#chunkActions(), 1);
    if (allowance > 0 && this.#segments !== undefined && queue !== undefined) {
      const limit = Math.min(queue.head + Math.ceil(allowance / actions) + 1, queue.head + WINDOW * lanes);
      this.#segments.skipTo(queue.head);
      // Slow calls are given out one by one if the frontier is small or the budget is nearly used up. No lane then has to wait for a whole node.
      const plenty = this.#slow ? 2 * lanes : 1;
      const waiting = this.#segments.waiting(limit);
      if (waiting >= plenty && (!this.#slow || allowance > 2 * lanes * actions)) {
        const given = this.#fromSegments(lane, limit, Math.min(room, allowance, this.#fairShare(waiting)), allowance, queue);
        if (given.length > 0) return given;
      }
    }
    return this.#predicted(room, left, idle);
  }

  /** Number of nodes that keep a lane busy for one chunk, if each node is reached by replay. */
  get replayedNodes(): number {
    return Math.max(Math.floor(this.#chunkActions() / (2 * this.#options.actions)), 1);
  }

  /** Starts a round of dispatching, in which lanes are given work one after the other. */
  round(): void {
    this.#share = undefined;
  }

  /**
   * Divides a short frontier evenly. Otherwise one lane would take all of it, and the others would have to predict. A share is never so small that
   * sending it costs more than executing it.
   */
  #fairShare(waiting: number): number {
    const { actions, lanes } = this.#options;
    this.#share ??= Math.ceil(waiting / lanes()) * actions;
    return Math.max(this.#share, this.#actionMs > 0 ? Math.ceil(LEAST_MS / this.#actionMs) : 1);
  }

  #chunkActions(): number {
    const { actions, chunkMs = CHUNK_MS } = this.#options;
    if (this.#actionMs === 0) return actions;
    return Math.min(Math.max(Math.floor(chunkMs / this.#actionMs), 1), 1 << 16);
  }

  /** Takes whole nodes until `room` is filled. Only the budget (`allowance`) cuts a node. */
  #fromSegments(lane: number, limit: number, room: number, allowance: number, queue: FrontierQueue): readonly Assignment[] {
    const { actions, reorderBuffer, nodes, visited } = this.#options;
    const given: Assignment[] = [];
    let left = room;
    while (left > 0) {
      const position = this.#segments!.take(lane, limit, this.#options.lanes());
      if (position < 0) break;
      if (position < queue.head) continue;
      const node = queue.at(position);
      if (nodes.has(node, FOREIGN)) continue;
      const work = reorderBuffer.of(node, visited.lo(node), visited.hi(node));
      for (let from = 0; from < actions; from++) {
        if (work.state(from) !== UNKNOWN) continue;
        let to = from + 1;
        const most = Math.min(actions, from + allowance - (room - left));
        while (to < most && work.state(to) === UNKNOWN) to++;
        if (to > most) return given;
        given.push({ work, from, to });
        left -= to - from;
        from = to;
      }
    }
    return given;
  }

  /** Returns predicted work. Only pairs that will be committed count against the budget. Actions that were executed on a wrong prediction do not. */
  #predicted(room: number, budget: number, idle: number): readonly Assignment[] {
    const { actions } = this.#options;
    const lanes = this.#options.lanes();
    const pairwise = !this.#options.order.nodewise;
    // A prediction becomes less certain the farther it looks ahead. A lane therefore gets one node, unless calls are so short that sending is the
    // main cost.
    const most = pairwise ? Math.min(room, PAIRS) : this.#actionMs > 0 && this.#actionMs < 0.05 ? room : Math.min(room, actions);
    const wanted = Math.max(most, 1) * Math.max(idle, 1);
    const missing = this.#missing(wanted, Math.max(budget, 1));
    if (missing.length === 0) return [];
    const total = missing.reduce((sum, { from, to }) => sum + to - from, 0);
    // The commit waits for the first node, so several lanes share the node to finish it sooner.
    const few = lanes > 1 && this.#actionMs > 0 ? Math.max(Math.ceil(PART_MS / this.#actionMs), 1) : most;
    const share = pairwise ? Math.ceil(total / Math.max(idle, 1)) : Math.min(few, most);
    return front(missing, Math.max(Math.min(share, lanes === 1 ? most : share), 1));
  }

  /** Returns the next units, in the strategy's order, that no lane works on. `budget` limits their steps, `actionsWanted` their actions. */
  #missing(actionsWanted: number, budget: number): Assignment[] {
    const { actions, order, maxDepth, nodes, visited } = this.#options;
    const { guessed, wasted, executed, buffered } = this.#options.reorderBuffer;
    let guesses = WRONG_AT_FIRST + WRONG_SHARE * (executed - buffered - wasted) - guessed - wasted;
    const horizon = order.nodewise ? HORIZON : PAIRS_AHEAD;
    const ahead = order.fork();
    const predicted: NodeWork[] = [];
    const seen = new Set<number>();
    const missing: Assignment[] = [];
    let found = 0;
    let steps = 0;
    for (let looked = 0; looked < horizon && found < actionsWanted && steps < budget && ahead.peek(); looked++) {
      if (ahead.ref >= 0 && nodes.has(ahead.ref, FOREIGN)) {
        for (let action = 0; action < actions; action++) ahead.take();
        continue;
      }
      const work = ahead.ref >= 0 ? this.#committedWork(ahead.ref) : predicted[~ahead.ref]!;
      const action = ahead.action;
      const state = work.state(action);
      if (state !== KNOWN || (work.rows[work.at(action) + KIND]! & 0xff) !== SKIPPED) steps++;
      if (state === UNKNOWN && (work.node >= 0 || guesses-- > 0)) {
        const last = missing.at(-1);
        if (last !== undefined && last.work === work && last.to === action)
          missing[missing.length - 1] = { work, from: last.from, to: action + 1 };
        else missing.push({ work, from: action, to: action + 1 });
        found++;
      } else if (state === KNOWN && guesses > 0 && work.depth + 1 < maxDepth) {
        const child = opened(work, action, visited, seen);
        if (child !== undefined) {
          predicted.push(child);
          ahead.open(~(predicted.length - 1), { lo: child.lo, hi: child.hi, shape: work.rows[work.at(action) + SHAPE]!, novel: true });
        }
      }
      ahead.take();
    }
    return missing;
  }

  #committedWork(node: number): NodeWork {
    const { reorderBuffer, visited } = this.#options;
    return reorderBuffer.of(node, visited.lo(node), visited.hi(node));
  }
}

/** Returns the node work of the state that a known outcome would open, or `undefined`. */
function opened(work: NodeWork, action: number, visited: VisitedSet, seen: Set<number>): NodeWork | undefined {
  const at = work.at(action);
  const rows = work.rows;
  const kind = rows[at + KIND]!;
  if ((kind & 0xff) === SKIPPED || (kind & 0xff) === FAILED || (kind & 0xff) === BROKEN || (kind & FINDING) !== 0) return undefined;
  const lo = rows[at + LO]!;
  const hi = rows[at + HI]!;
  if (visited.find(lo, hi) >= 0) return undefined;
  // The key holds 53 bits of the fingerprint. A collision only causes a wrong prediction.
  const key = (hi & 0x1fffff) * 0x1_0000_0000 + (lo >>> 0);
  if (seen.has(key)) return undefined;
  seen.add(key);
  work.children ??= new Map();
  let child = work.children.get(action);
  if (child === undefined) {
    child = new NodeWork({ node: -1, parent: work, action, depth: work.depth + 1, lo, hi, image: work.images?.get(action) });
    work.children.set(action, child);
  }
  return child;
}

/** Returns the first units, up to a number of actions. The last unit is cut. */
function front(missing: readonly Assignment[], actions: number): readonly Assignment[] {
  const given: Assignment[] = [];
  let left = actions;
  for (const { work, from, to } of missing) {
    if (left <= 0) break;
    const end = Math.min(to, from + left);
    given.push({ work, from, to: end });
    left -= end - from;
  }
  return given;
}
