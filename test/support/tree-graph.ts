import type { ExplorationGraph } from "../../src/model/results/result.ts";

/** Number of edges for each state. */
const SHARE = 10;

/**
 * Returns a tree in breadth-first order. Every state has an edge for each action, until the number of edges is reached. One edge in ten leads to a
 * new state; the others lead back to their own state.
 */
export function treeOf(edges: number, actions: readonly string[]): ExplorationGraph {
  const nodes = Math.ceil(edges / SHARE) + 1;
  const column = (length: number, of: (place: number) => number): Int32Array => Int32Array.from({ length }, (_, place) => of(place));
  const from = (edge: number): number => Math.floor(edge / actions.length);
  const action = (edge: number): number => edge % actions.length;
  const opened = (node: number): number => (node - 1) * SHARE;
  const depths = new Int32Array(nodes);
  for (let node = 1; node < nodes; node++) depths[node] = depths[from(opened(node))]! + 1;
  return {
    actions,
    nodes,
    edges,
    parents: column(nodes, (node) => (node === 0 ? -1 : from(opened(node)))),
    parentActions: column(nodes, (node) => (node === 0 ? -1 : action(opened(node)))),
    depths,
    edgeFrom: column(edges, from),
    edgeAction: column(edges, action),
    edgeTo: column(edges, (edge) => (edge % SHARE === 0 ? edge / SHARE + 1 : from(edge))),
    edgeStatus: new Int32Array(edges).fill(200),
    path: () => [],
  };
}
