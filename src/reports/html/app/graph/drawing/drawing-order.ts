import type { GraphModel } from "../model/graph-model.ts";
import type { Palette } from "./palette.ts";

export interface Look {
  nodeColour(node: number, palette: Palette): string;
  edgeColour(edge: number, palette: Palette): string;
  isShown(edge: number): boolean;
}

/** The visible nodes and edges, grouped by colour, because changing the colour takes longer than drawing a line. */
export interface DrawingOrder {
  readonly edges: readonly number[];
  readonly nodes: readonly number[];
  /** The colour of each edge, including hidden edges, by the index of the edge. */
  readonly edgeColours: readonly string[];
  readonly nodeColours: readonly string[];
}

export function drawingOrder(model: GraphModel, look: Look, palette: Palette): DrawingOrder {
  const all = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
  const edges = all(model.edges);
  const nodes = all(model.nodes);
  const edgeColours = edges.map((edge) => look.edgeColour(edge, palette));
  const nodeColours = nodes.map((node) => look.nodeColour(node, palette));
  return {
    edges: grouped(
      edges.filter((edge) => look.isShown(edge)),
      edgeColours,
    ),
    nodes: grouped(nodes, nodeColours),
    edgeColours,
    nodeColours,
  };
}

function grouped(list: readonly number[], colours: readonly string[]): readonly number[] {
  const groups = new Map<string, number[]>();
  for (const one of list) {
    const group = groups.get(colours[one]!);
    if (group === undefined) groups.set(colours[one]!, [one]);
    else group.push(one);
  }
  return [...groups.values()].flat();
}
