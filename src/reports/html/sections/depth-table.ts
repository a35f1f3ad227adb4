import { DepthCounter, type ByDepth } from "../../console/summary/by-depth.ts";
import type { GraphData } from "../../document/report-data.ts";

export interface DepthTable extends ByDepth {
  readonly actions: readonly string[];
  /** `true` if the table counts the whole graph, `false` if it counts only the part of the graph that the report contains. */
  readonly whole: boolean;
}

export function depthTable(graph: GraphData | undefined): DepthTable | undefined {
  if (graph === undefined || graph.nodes.id.length === 0) return undefined;
  const { nodes, edges, actions, totalNodes, totalEdges, byDepth } = graph;
  if (byDepth !== undefined) return { ...byDepth, actions, whole: true };
  const counter = new DepthCounter(nodes.depth, actions.length);
  const depthOf = new Map(nodes.id.map((id, place) => [id, nodes.depth[place]!]));
  edges.from.forEach((id, edge) => counter.add(depthOf.get(id) ?? 0, edges.action[edge]!));
  const { states, executed } = counter;
  return { states, executed, actions, whole: nodes.id.length === totalNodes && edges.from.length === totalEdges };
}
