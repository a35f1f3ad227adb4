import type { EdgeLog } from "./edge-log.ts";

const FAR = -1;

/**
 * The shortest paths from the root state in the committed graph. Only uses edges without a blocking violation. Among equally short paths, the path
 * whose edges were committed first is used.
 */
export class ShortestPaths {
  readonly #distance: Int32Array;
  readonly #parent: Int32Array;
  readonly #action: Uint16Array;

  constructor(edges: EdgeLog, nodes: number) {
    this.#distance = new Int32Array(nodes).fill(FAR);
    this.#parent = new Int32Array(nodes).fill(-1);
    this.#action = new Uint16Array(nodes);
    const { starts, targets, actions } = adjacency(edges, nodes);
    const queue = new Int32Array(nodes);
    this.#distance[0] = 0;
    let end = 1;
    for (let at = 0; at < end; at++) {
      const node = queue[at]!;
      for (let i = starts[node]!; i < starts[node + 1]!; i++) {
        const next = targets[i]!;
        if (this.#distance[next] !== FAR) continue;
        this.#distance[next] = this.#distance[node]! + 1;
        this.#parent[next] = node;
        this.#action[next] = actions[i]!;
        queue[end++] = next;
      }
    }
  }

  /** Returns the number of edges on the shortest path from the root state to a node. Returns `Infinity` if there is no path. */
  distance(node: number): number {
    return this.#distance[node] === FAR ? Infinity : this.#distance[node]!;
  }

  /** Returns the nodes on the shortest path to a reachable node, including the root state and the node, and the actions between them. */
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

interface Adjacency {
  /** For each node: the index of its first edge in the other two arrays. A last entry holds the number of all edges. */
  readonly starts: Int32Array;
  readonly targets: Int32Array;
  readonly actions: Uint16Array;
}

/** Groups the edges without a blocking violation by the node where they start, in the order of commits. An edge takes 6 bytes. */
function adjacency(edges: EdgeLog, nodes: number): Adjacency {
  const starts = new Int32Array(nodes + 1);
  edges.each((from, _action, _to, clean) => {
    if (clean) starts[from + 1]!++;
  });
  for (let node = 0; node < nodes; node++) starts[node + 1]! += starts[node]!;
  const fill = starts.slice();
  const targets = new Int32Array(starts[nodes]!);
  const actions = new Uint16Array(starts[nodes]!);
  edges.each((from, action, to, clean) => {
    if (!clean) return;
    const at = fill[from]!++;
    targets[at] = to;
    actions[at] = action;
  });
  return { starts, targets, actions };
}
