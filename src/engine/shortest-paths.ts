import type { EdgeLog } from "./edge-log.ts";

/** The shortest ways from the root over the clean committed edges; of equally short ones the one whose edges were committed first. */
export class ShortestPaths {
  /** Per node: edges from the root; `Infinity` when none lead there. */
  readonly distance: Float64Array;
  readonly #parent: Int32Array;
  readonly #action: Int32Array;

  constructor(edges: EdgeLog, nodes: number) {
    this.distance = new Float64Array(nodes).fill(Infinity);
    this.#parent = new Int32Array(nodes).fill(-1);
    this.#action = new Int32Array(nodes).fill(-1);
    const to = edges.to();
    const actions = edges.actions();
    const { starts, sorted } = adjacency(edges.from(), edges.clean(), nodes);
    const queue = new Int32Array(nodes);
    this.distance[0] = 0;
    let end = 1;
    for (let at = 0; at < end; at++) {
      const node = queue[at]!;
      for (let i = starts[node]!; i < starts[node + 1]!; i++) {
        const next = to[sorted[i]!]!;
        if (this.distance[next]! !== Infinity) continue;
        this.distance[next] = this.distance[node]! + 1;
        this.#parent[next] = node;
        this.#action[next] = actions[sorted[i]!]!;
        queue[end++] = next;
      }
    }
  }

  /** The nodes from the root to a node that can be reached, both included, and the actions between them. */
  to(node: number): { readonly nodes: readonly number[]; readonly actions: readonly number[] } {
    const nodes = [node];
    const actions: number[] = [];
    for (let at = node; this.#parent[at]! >= 0; at = this.#parent[at]!) {
      nodes.push(this.#parent[at]!);
      actions.push(this.#action[at]!);
    }
    return { nodes: nodes.reverse(), actions: actions.reverse() };
  }
}

/** The clean edges by the node that they leave, each node's in the order of their commits. */
function adjacency(from: Int32Array, clean: Uint8Array, nodes: number): { readonly starts: Int32Array; readonly sorted: Int32Array } {
  const starts = new Int32Array(nodes + 1);
  for (let edge = 0; edge < from.length; edge++) if (clean[edge] === 1) starts[from[edge]! + 1]!++;
  for (let node = 0; node < nodes; node++) starts[node + 1]! += starts[node]!;
  const fill = starts.slice();
  const sorted = new Int32Array(starts[nodes]!);
  for (let edge = 0; edge < from.length; edge++) if (clean[edge] === 1) sorted[fill[from[edge]!]!++] = edge;
  return { starts, sorted };
}
