import type { Assignment, ReorderBuffer } from "./reorder-buffer.ts";
import { KIND_BITS, FAILED, FINDING, HI, KIND, LO, SHAPE, BROKEN, SKIPPED } from "../../messages/lane-messages.ts";
import { FOREIGN, type NodeTable } from "../graph/node-table.ts";
import type { Frontier, FrontierQueue } from "../frontiers/index.ts";
import { Segments } from "../graph/segments.ts";
import type { VisitedSet } from "../graph/visited-set.ts";
import { KNOWN, UNKNOWN, NodeWork } from "./node-work.ts";

/**
 * Time in milliseconds for which a chunk should keep a lane busy. The time must be much longer than the 50 to 75 us that sending a chunk costs, but
 * short enough that work can be divided again when lanes become free.
 */
const CHUNK_MS = 25;
/** Smallest amount of work for a lane, in milliseconds. Less work is not worth a message to another thread. */
const LEAST_MS = 0.5;
/**
 * Number of queue positions for each lane that may be dispatched before earlier positions are committed. The number limits the outcomes that wait in
 * memory while the first node is slow.
 */
const WINDOW = 4096;
/** Largest number of (state, action) pairs that a prediction looks ahead. */
const HORIZON = 20_000;
/**
 * Largest number of (state, action) pairs that a prediction looks ahead, for strategies that change the node with every pair. Pairs farther ahead are
 * hardly ever the next pairs, and predicting them costs time on the main thread.
 */
const PAIRS_AHEAD = 256;
/**
 * Largest accepted share of wrong predictions among the commits. Above this share, states after uncommitted outcomes are not predicted. In a
 * depth-first search nearly all predictions are wrong, because another path reaches the predicted state first.
 */
const WRONG_SHARE = 0.1;
/** Number of wrong predictions that are accepted at the beginning, before {@link WRONG_SHARE} is meaningful. */
const WRONG_AT_FIRST = 64;
/** Largest number of (state, action) pairs that a lane gets at once, for strategies that change the node with every pair. */
const PAIRS = 16;
/** Time in milliseconds for which a part of a node's actions should keep a lane busy. Reaching the node costs about a tenth of this time. */
const PART_MS = 2;
/** If an action takes at least this many milliseconds, several lanes share a node, although each of these lanes has to reach the node first. */
const SPLIT_MS = 0.5;

export interface SchedulerOptions {
  readonly actions: number;
  readonly mostLanes: number;
  readonly lanes: () => number;
  /** Time in milliseconds for which a chunk should keep a lane busy. Default: {@link CHUNK_MS}. */
  readonly chunkMs?: number | undefined;
  readonly maxDepth: number;
  readonly order: Frontier;
  readonly reorderBuffer: ReorderBuffer;
  readonly visited: VisitedSet;
  readonly nodes: NodeTable;
}

/**
 * Decides which actions lanes execute next. If the frontier is a queue with enough nodes, each lane gets a range of the queue. If not, a copy of the
 * frontier looks ahead: known outcomes count as committed, and unknown outcomes are assumed to lead to no new state. The first (state, action) pairs
 * without an outcome are then dispatched.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #segments: Segments | undefined;
  /** The average time of an action in milliseconds. Recent actions have more weight. */
  #actionMs = 0;
  /** Number of actions for each lane, so that lanes get equal shares. Computed once for each round of dispatching. */
  #share: number | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#segments = options.order.queue && new Segments(options.order.queue, options.mostLanes);
  }

  /** `true` if actions take so long that the time for sending them does not matter. */
  get #slow(): boolean {
    return this.#actionMs >= SPLIT_MS;
  }

  measured(busyMs: number, actions: number): void {
    if (actions === 0) return;
    const sample = busyMs / actions;
    this.#actionMs = this.#actionMs === 0 ? sample : 0.7 * this.#actionMs + 0.3 * sample;
  }

  /**
   * Returns the next work for a lane, which may be empty. Always dispatches the (state, action) pair that the next commit needs. `left`: the number
   * of steps that may still be committed. `allowance`: `left` minus the number of steps that are in progress, or executed but not committed. `idle`:
   * the number of lanes without work, including this lane.
   */
  next(lane: number, left: number, allowance: number, idle: number): readonly Assignment[] {
    const { actions } = this.#options;
    const { queue } = this.#options.order;
    const lanes = this.#options.lanes();
    const room = Math.max(this.#chunkActions(), 1);
    if (allowance > 0 && this.#segments !== undefined && queue !== undefined) {
      const limit = Math.min(queue.head + Math.ceil(allowance / actions) + 1, queue.head + WINDOW * lanes);
      this.#segments.skipTo(queue.head);
      // If actions are slow and there is little work left, dispatch single actions instead of whole nodes, so that lanes do not wait while another
      // lane executes a whole node.
      const plenty = this.#slow ? 2 * lanes : 1;
      const waiting = this.#segments.waiting(limit);
      if (waiting >= plenty && (!this.#slow || allowance > 2 * lanes * actions)) {
        const given = this.#fromSegments(lane, limit, Math.min(room, allowance, this.#fairShare(waiting)), allowance, queue);
        if (given.length > 0) return given;
      }
    }
    return this.#predicted(room, left, idle);
  }

  /** Number of nodes that a lane can reach by replay and expand during the time planned for one chunk. */
  get replayedNodes(): number {
    return Math.max(Math.floor(this.#chunkActions() / (2 * this.#options.actions)), 1);
  }

  /** Starts a round of dispatching, in which each lane gets work once. */
  round(): void {
    this.#share = undefined;
  }

  /**
   * Returns the number of actions for each lane if few nodes wait, so that no single lane takes all nodes. The number is never so small that sending
   * the actions takes longer than executing them.
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

  /**
   * Takes whole nodes from the lane's range of the queue, until they have `room` actions. Only takes a part of a node if the budget (`allowance`)
   * ends there.
   */
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

  /**
   * Returns work that a prediction finds. `budget` limits the steps that will be committed. Steps that were executed after a wrong prediction do not
   * use the budget.
   */
  #predicted(room: number, budget: number, idle: number): readonly Assignment[] {
    const { actions } = this.#options;
    const lanes = this.#options.lanes();
    const pairwise = !this.#options.order.nodewise;
    // A prediction that looks farther ahead is less certain, so give a lane only one node. If actions are so short that sending them takes most of
    // the time, give more.
    const most = pairwise ? Math.min(room, PAIRS) : this.#actionMs > 0 && this.#actionMs < 0.05 ? room : Math.min(room, actions);
    const wanted = Math.max(most, 1) * Math.max(idle, 1);
    const missing = this.#missing(wanted, Math.max(budget, 1));
    if (missing.length === 0) return [];
    const total = missing.reduce((sum, { from, to }) => sum + to - from, 0);
    // The next commit waits for this node. Let several lanes share the node's actions, so that the node is finished sooner.
    const few = lanes > 1 && this.#actionMs > 0 ? Math.max(Math.ceil(PART_MS / this.#actionMs), 1) : most;
    const share = pairwise ? Math.ceil(total / Math.max(idle, 1)) : Math.min(few, most);
    return front(missing, Math.max(Math.min(share, lanes === 1 ? most : share), 1));
  }

  /**
   * Returns the next units, in the order of the strategy, that no lane has executed or is executing. `budget` limits the number of steps that the
   * units commit, `actionsWanted` the number of their actions.
   */
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
      if (state !== KNOWN || (work.rows[work.at(action) + KIND]! & KIND_BITS) !== SKIPPED) steps++;
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

/**
 * Returns the {@link NodeWork} of the state that would join the frontier if a known outcome were committed. Returns `undefined` if no state would
 * join.
 */
function opened(work: NodeWork, action: number, visited: VisitedSet, seen: Set<number>): NodeWork | undefined {
  const at = work.at(action);
  const rows = work.rows;
  const kind = rows[at + KIND]!;
  if ((kind & KIND_BITS) === SKIPPED || (kind & KIND_BITS) === FAILED || (kind & KIND_BITS) === BROKEN || (kind & FINDING) !== 0)
    return undefined;
  const lo = rows[at + LO]!;
  const hi = rows[at + HI]!;
  if (visited.find(lo, hi) >= 0) return undefined;
  // The key contains 53 bits of the fingerprint, the most that a number can hold. Equal keys of different states only make a prediction wrong.
  const key = (hi & 0x1fffff) * 0x1_0000_0000 + (lo >>> 0);
  if (seen.has(key)) return undefined;
  seen.add(key);
  work.children ??= new Map();
  let child = work.children.get(action);
  if (child === undefined) {
    child = new NodeWork({ node: -1, parent: work, action, depth: work.depth + 1, lo, hi, snapshot: work.snapshots?.get(action) });
    work.children.set(action, child);
  }
  return child;
}

/** Returns the first units, with at most the given number of actions in total. Shortens the last unit if necessary. */
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
