import { mix } from "../graph/mix.ts";
import { FOREIGN, type NodeTable } from "../graph/node-table.ts";
import type { Frontier } from "../frontiers/index.ts";
import type { VisitedSet } from "../graph/visited-set.ts";

/** One of several runs that divide an exploration. These runs do not communicate. */
export interface Shard {
  /** Index of the shard, counted from 0. `of` is the number of shards. */
  readonly index: number;
  readonly of: number;
}

/** Smallest number of states per shard on the level at which the exploration is divided. Hashes would divide fewer states unevenly. */
const STATES_EACH = 16;

/**
 * Divides the exploration at one level of the breadth-first search: the first level with at least {@link STATES_EACH} states per shard. All shards
 * explore the levels before this level, and therefore find the same level. The fingerprint of each state on the level selects one shard, and only
 * this shard explores the state and all states after it. Each later state is therefore reached along a shortest path by at least one shard.
 */
export class ShardCut {
  readonly shard: Shard;
  #level = -1;
  /**
   * The level at which the exploration is divided, its number of states, and how many of these states this shard explores. `undefined` until the
   * search reaches this level.
   */
  taken: { readonly depth: number; readonly states: number; readonly own: number } | undefined;

  constructor(shard: Shard) {
    this.shard = shard;
  }

  /** Returns `true` if the selected node of the frontier belongs to another shard. Call the frontier's `peek` first. */
  isForeign(node: number, order: Frontier, nodes: NodeTable, visited: VisitedSet): boolean {
    const depth = nodes.depth(node);
    if (this.taken === undefined && depth > this.#level) {
      this.#level = depth;
      // All nodes of the previous level are committed, so the frontier holds exactly the nodes of this level.
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

/** Returns `true` if a level with this number of states is large enough to be divided among the shards. */
export const isShared = (states: number, of: number): boolean => states >= STATES_EACH * of;

export function ownerOf(lo: number, hi: number, of: number): number {
  return mix(mix(0x5ead, lo), hi) % of;
}

/** Returns this shard's part of the total number of steps, at least 1. */
export function shareOf(total: number, { index, of }: Shard): number {
  return Math.max(Math.floor(total / of) + (index < total % of ? 1 : 0), 1);
}
