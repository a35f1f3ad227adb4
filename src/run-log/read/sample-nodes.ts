import { pathsInGraph, type Paths } from "./paths-in-graph.ts";
import { within } from "../rows/stored-edges.ts";
import type { StoredGraph } from "../rows/stored-graph.ts";

/** The part of a graph that is shown. */
export interface Sample {
  /** Parents come before their children. */
  readonly nodes: readonly number[];
  /** The nodes and edges on the paths of findings. */
  readonly paths: Paths;
}

/**
 * Selects all nodes of a graph. If there are more than `most`: the nodes on the paths of findings, their neighbours, and then the nodes nearest to
 * the root. The ancestors of a selected node are selected, too, so there may be a few more than `most`, depending on the depth of findings.
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

/** Returns at most `most` nodes, those nearest to the root first. A parent is one step nearer than its children. */
function nearestToRoot({ depths, byDepth: { states } }: StoredGraph, most: number): readonly number[] {
  let left = most;
  const limit = states.findIndex((count) => {
    if (count >= left) return true;
    left -= count;
    return false;
  });
  const nodes: number[] = [];
  // Takes only as many nodes of the deepest level as there is room for.
  for (let node = 0; node < depths.length && nodes.length < most; node++) {
    const depth = depths[node]!;
    if (limit < 0 || depth < limit || (depth === limit && left-- > 0)) nodes.push(node);
  }
  return nodes.sort((a, b) => depths[a]! - depths[b]! || a - b);
}
