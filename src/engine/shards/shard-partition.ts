import { mix } from "../graph/mix.ts";
import { FOREIGN, type NodeTable } from "../graph/node-table.ts";
import type { Frontier } from "../frontiers/index.ts";
import type { VisitedSet } from "../graph/visited-set.ts";

/** One of several explorations that divide a state space without communication. */
export interface Shard {
  /** Index of the shard, from 0. `of` is the number of shards. */
  readonly index: number;
  readonly of: number;
}

/** Least number of states per shard on the level that is divided, so that hashes give all shards about equally many. */
const STATES_EACH = 16;

/**
 * Finds the level at which shards separate: the first level of the breadth-first search with at least {@link STATES_EACH} states per shard. On that
 * level, a shard continues only from the states whose fingerprints hash to it, and explores everything after them. All shards find the same level.
 * Each later state is therefore reached by some shard, along a shortest path.
 */
export class ShardCut {
  readonly shard: Shard;
  #level = -1;
  /** The divided level, its number of states, and the number of those that this shard owns. `undefined` until a level is divided. */
  taken: { readonly depth: number; readonly states: number; readonly own: number } | undefined;

  constructor(shard: Shard) {
    this.shard = shard;
  }

  /** Returns `true` if the next node belongs to another shard. The frontier must have peeked at the node. */
  isForeign(node: number, order: Frontier, nodes: NodeTable, visited: VisitedSet): boolean {
    const depth = nodes.depth(node);
    if (this.taken === undefined && depth > this.#level) {
      this.#level = depth;
      // All nodes of the previous level are committed, so the frontier holds exactly this level.
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

/** Returns `true` if a level with this many states is divided, provided that no earlier level was. */
export const isShared = (states: number, of: number): boolean => states >= STATES_EACH * of;

export function ownerOf(lo: number, hi: number, of: number): number {
  return mix(mix(0x5ead, lo), hi) % of;
}

/** Returns the shard's part of a total step budget, at least 1. */
export function shareOf(total: number, { index, of }: Shard): number {
  return Math.max(Math.floor(total / of) + (index < total % of ? 1 : 0), 1);
}
