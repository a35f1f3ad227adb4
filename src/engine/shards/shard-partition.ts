import { mix } from "../graph/mix.ts";
import { FOREIGN, type NodeTable } from "../graph/node-table.ts";
import type { Frontier } from "../frontiers/index.ts";
import type { VisitedSet } from "../graph/visited-set.ts";

/** One of several explorations that share a state space out without talking to each other. */
export interface Shard {
  /** From 0. */
  readonly index: number;
  readonly of: number;
}

/** States of the level that is shared out, per shard: enough that hashes give all about as many. */
const STATES_EACH = 16;

/**
 * Where a shard leaves what all shards have in common: the first level of the breadth-first search with at least {@link STATES_EACH} states per shard. Of
 * that level it goes on from the states whose fingerprints hash to it, and from all that is behind them. Each shard comes to the same level, so that every
 * state is behind one that some shard owns, by a path that is as short as any.
 */
export class ShardCut {
  readonly shard: Shard;
  #level = -1;
  /** The level, the states on it and those of them that are this shard's; `undefined`: all shards explored the same until now. */
  taken: { readonly depth: number; readonly states: number; readonly own: number } | undefined;

  constructor(shard: Shard) {
    this.shard = shard;
  }

  /** Whether the next node, which the order has peeked at, is another shard's. */
  isForeign(node: number, order: Frontier, nodes: NodeTable, visited: VisitedSet): boolean {
    const depth = nodes.depth(node);
    if (this.taken === undefined && depth > this.#level) {
      this.#level = depth;
      // All of the level before is committed: what waits is this level, whole.
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

/** Whether a level of so many states is the one that is shared out, when none before it was. */
export const isShared = (states: number, of: number): boolean => states >= STATES_EACH * of;

/** Which shard owns a state, from 0. */
export function ownerOf(lo: number, hi: number, of: number): number {
  return mix(mix(0x5ead, lo), hi) % of;
}

/** The shard's part of a budget of steps for all, at least one. */
export function shareOf(total: number, { index, of }: Shard): number {
  return Math.max(Math.floor(total / of) + (index < total % of ? 1 : 0), 1);
}
