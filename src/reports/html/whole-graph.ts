import type { ExplorationEntry } from "../document-types.ts";
import type { GraphData } from "../report-data.ts";

/** What tables of a graph are made from. */
export interface WholeGraph {
  readonly actions: readonly string[];
  /** Per node. */
  readonly depths: readonly number[];
  /** Per edge: the depth of the node that it begins at, and its action. */
  readonly edgeDepth: readonly number[];
  readonly edgeAction: readonly number[];
  /** Whether this is all of it, or the part that is shown. */
  readonly whole: boolean;
}

/** The lists of the document, which has the whole graph where it has one; else those of the part that is shown. */
export function wholeGraph(entry: ExplorationEntry, graph: GraphData | undefined): WholeGraph | undefined {
  const all = (entry as { readonly graph?: Lists }).graph;
  if (all !== undefined && all.depths.length > 0) {
    const { actions, depths, edgeFrom, edgeAction } = all;
    return { actions, depths, edgeDepth: edgeFrom.map((node) => depths[node] ?? 0), edgeAction, whole: true };
  }
  if (graph === undefined || graph.nodes.id.length === 0) return undefined;
  const { nodes, edges, actions, totalNodes, totalEdges } = graph;
  const depthOf = new Map(nodes.id.map((id, place) => [id, nodes.depth[place]!]));
  const edgeDepth = edges.from.map((id) => depthOf.get(id) ?? 0);
  const whole = nodes.id.length === totalNodes && edges.from.length === totalEdges;
  return { actions, depths: nodes.depth, edgeDepth, edgeAction: edges.action, whole };
}

interface Lists {
  readonly actions: readonly string[];
  readonly depths: readonly number[];
  readonly edgeFrom: readonly number[];
  readonly edgeAction: readonly number[];
}
