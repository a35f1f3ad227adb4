import { mix } from "../graph/mix.ts";
import { FOREIGN, type NodeTable } from "../graph/node-table.ts";
import type { Frontier } from "../frontiers/index.ts";
import type { VisitedSet } from "../graph/visited-set.ts";

/** One of several explorations that divide a state space without communication. */
export interface Shard {
  /** Index, from 0. */
  readonly index: number;
  readonly of: number;
}

/** States per shard on the level that is divided: enough that hashes give each shard about as many. */
const STATES_EACH = 16;

/**
 * The level at which shards separate: the first level of the breadth-first search with at least {@link STATES_EACH} states per shard. On that level a
 * shard continues from the states whose fingerprints hash to it, and explores everything behind them. Every shard reaches the same level. Each state
 * is therefore behind one that some shard owns, by a path that is as short as any.
 */
export class ShardCut {
  readonly shard: Shard;
  #level = -1;
  /** The level, the states on it and those that this shard owns. `undefined`: all shards have explored the same so far. */
  taken: { readonly depth: number; readonly states: number; readonly own: number } | undefined;

  constructor(shard: Shard) {
    this.shard = shard;
  }

  /** Returns `true` if the next node, at which the frontier has peeked, belongs to another shard. */
  isForeign(node: number, order: Frontier, nodes: NodeTable, visited: VisitedSet): boolean {
    const depth = nodes.depth(node);
    if (this.taken === undefined && depth > this.#level) {
      this.#level = depth;
      // The whole level before is committed, so the frontier is exactly this level.
      if (isShared(order.size, this.shard.of)) this.#take(depth, order, nodes, visited);
    }
    return nodes.has(node, FOREIGN);
  }

  #take(depth: number, order: Frontier, nodes: NodeTable, visited: VisitedSet): void {
    let [states, own] = [0, 0];
    for (const node of order.waiting()) {
      states++;
      if (ownerOf(visited.lo(node), visited.hi(node), this.shard.of) === this.shard.index) own++;
      else nodes.flag(node, FOREIGN);
    }
    this.taken = { depth, states, own };
  }
}

/** Returns `true` if a level with this many states is divided, when no level before was. */
export const isShared = (states: number, of: number): boolean => states >= STATES_EACH * of;

/** Returns the index of the shard that owns a state. */
export function ownerOf(lo: number, hi: number, of: number): number {
  return mix(mix(0x5ead, lo), hi) % of;
}

/** Returns the shard's part of a total budget of steps, at least one. */
export function shareOf(total: number, { index, of }: Shard): number {
  return Math.max(Math.floor(total / of) + (index < total % of ? 1 : 0), 1);
}
