import { pathsInGraph, type Paths } from "./paths-in-graph.ts";
import { within } from "../rows/stored-edges.ts";
import type { StoredGraph } from "../rows/stored-graph.ts";

export interface Sample {
  /** The selected nodes. A parent always comes before its children. */
  readonly nodes: readonly number[];
  readonly paths: Paths;
}

/**
 * Selects the nodes that a report shows: all, or about `most` of a larger graph. Nodes on paths of findings come first, then their neighbours, then
 * the nodes nearest to the root. Ancestors of selected nodes are always included, so the result may have a few nodes more than `most`.
 */
export function sampleNodes(graph: StoredGraph, findings: readonly (readonly string[])[], most: number): Sample {
  const { depths, parents } = graph;
  const paths = pathsInGraph(graph, findings);
  const shown = new Set<number>();
  const add = (node: number): void => {
    for (let at = node; at >= 0 && !shown.has(at); at = parents[at]!) shown.add(at);
  };
  for (const node of paths.nodes) add(node);
  if (depths.length > most && paths.nodes.size > 0) {
    const onPaths = [...paths.nodes];
    graph.edges.some(
      (span) => shown.size < most && onPaths.some((node) => within(node, span.from) || within(node, span.to)),
      (_edge, { from, to }) => {
        if (to < 0 || shown.size >= most || !(paths.nodes.has(from) || paths.nodes.has(to))) return;
        add(from);
        add(to);
      },
    );
  }
  for (const node of nearestToRoot(graph, most)) {
    if (shown.size >= most) break;
    add(node);
  }
  return { nodes: [...shown].sort((a, b) => depths[a]! - depths[b]! || a - b), paths };
}

/** Returns up to `most` nodes, the nodes nearest to the root first. A parent always comes before its children. */
function nearestToRoot({ depths, byDepth: { states } }: StoredGraph, most: number): readonly number[] {
  let left = most;
  const limit = states.findIndex((count) => {
    if (count >= left) return true;
    left -= count;
    return false;
  });
  const nodes: number[] = [];
  // If the nodes of the greatest selected depth do not all fit, some are left out. `left` is the number of nodes of this depth that still fit.
  for (let node = 0; node < depths.length && nodes.length < most; node++) {
    const depth = depths[node]!;
    if (limit < 0 || depth < limit || (depth === limit && left-- > 0)) nodes.push(node);
  }
  return nodes.sort((a, b) => depths[a]! - depths[b]! || a - b);
}
