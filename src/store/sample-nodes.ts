import type { StoredGraph } from "./stored-graph.ts";

/** What of a graph is shown. */
export interface Sample {
  /** Parents stand before their children. */
  readonly nodes: readonly number[];
  /** What the paths of findings consist of. */
  readonly paths: { readonly nodes: ReadonlySet<number>; readonly edges: ReadonlySet<number> };
}

/**
 * All nodes of a graph; of one that has more than `most`, the nodes on the paths of findings, their neighbours, and then the nearest to the root. With a
 * node its ancestors are there, too: they may be a few more than `most`, as deep as the findings lie.
 */
export function sampleNodes(graph: StoredGraph, findings: readonly (readonly string[])[], most: number): Sample {
  const size = graph.depths.length;
  const paths = pathsOf(graph, findings);
  const shown = new Uint8Array(size);
  let count = 0;
  const add = (node: number): void => {
    for (let at = node; at >= 0 && shown[at] === 0; at = graph.parents[at]!) {
      shown[at] = 1;
      count++;
    }
  };
  if (size <= most) for (let node = 0; node < size; node++) add(node);
  else {
    for (const node of paths.nodes) add(node);
    for (let edge = 0; edge < graph.edgeFrom.length && count < most; edge++) {
      const from = graph.edgeFrom[edge]!;
      const to = graph.edgeTo[edge]!;
      if (to >= 0 && (paths.nodes.has(from) || paths.nodes.has(to))) {
        add(from);
        add(to);
      }
    }
    for (const node of byDepth(graph.depths)) {
      if (count >= most) break;
      add(node);
    }
  }
  return { nodes: byDepth(graph.depths).filter((node) => shown[node] === 1), paths };
}

/** Node numbers, the nearest to the root first: a parent is one nearer than its children. */
function byDepth(depths: readonly number[]): readonly number[] {
  return depths.map((_, node) => node).sort((a, b) => depths[a]! - depths[b]! || a - b);
}

/** The nodes and edges of the findings' paths, as far as the graph has them: a shrunk path may lead where the exploration did not go. */
function pathsOf(graph: StoredGraph, findings: readonly (readonly string[])[]): Sample["paths"] {
  const actions = new Map(graph.actions.map((name, action) => [name, action]));
  const outgoing = findings.length === 0 ? new Map<number, number>() : edgesByPair(graph);
  const nodes = new Set<number>();
  const edges = new Set<number>();
  for (const path of findings) {
    let node = 0;
    for (const name of path) {
      nodes.add(node);
      const edge = outgoing.get(node * graph.actions.length + (actions.get(name) ?? Number.NaN));
      if (edge === undefined) break;
      edges.add(edge);
      node = graph.edgeTo[edge]!;
      if (node < 0) break;
      nodes.add(node);
    }
  }
  return { nodes, edges };
}

function edgesByPair({ actions, edgeFrom, edgeAction }: StoredGraph): ReadonlyMap<number, number> {
  const edges = new Map<number, number>();
  for (let edge = 0; edge < edgeFrom.length; edge++) edges.set(edgeFrom[edge]! * actions.length + edgeAction[edge]!, edge);
  return edges;
}
