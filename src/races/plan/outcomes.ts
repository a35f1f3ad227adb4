import type { Committer } from "../../engine/commit/committer.ts";

/** The part of a committed edge that races need. */
export interface EdgeEnd {
  /** -1 if there is no state. */
  readonly to: number;
  readonly status: number;
  readonly found: boolean;
}

/** Limit of cells of the table (nodes x actions): 80 MB. Nodes beyond it are not probed, and counted. */
const MOST_CELLS = 20_000_000;

/** The committed edges by state and action. */
export class Outcomes {
  /** States below this number are known. */
  readonly nodes: number;
  readonly #actions: number;
  readonly #edges: Committer["edges"];
  readonly #at: Int32Array;

  constructor({ edges, visited }: Committer, actions: number) {
    this.nodes = Math.min(visited.size, Math.floor(MOST_CELLS / actions));
    this.#actions = actions;
    this.#edges = edges;
    this.#at = new Int32Array(this.nodes * actions).fill(-1);
    for (let edge = 0; edge < edges.size; edge++) {
      const { from, action } = edges.at(edge);
      if (from < this.nodes) this.#at[from * actions + action] = edge;
    }
  }

  /** Returns the edge; `undefined` if the action was not executed there. */
  of(node: number, action: number): EdgeEnd | undefined {
    if (node < 0 || node >= this.nodes) return undefined;
    const edge = this.#at[node * this.#actions + action]!;
    return edge < 0 ? undefined : this.#edges.at(edge);
  }
}
