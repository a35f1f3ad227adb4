import type { GraphModel } from "./graph-model.ts";

export interface Found {
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
}

/** Nodes by their number or by a text in their state; edges by the name of their action or their status. Nothing is told of an empty text. */
export function search(model: GraphModel, query: string): Found {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return { nodes: [], edges: [] };
  const { graph } = model;
  const number = /^\d+$/.test(wanted) ? Number(wanted) : undefined;
  const inText = texts(model, wanted);
  const actions = new Set(graph.actions.flatMap((name, action) => (name.toLowerCase().includes(wanted) ? [action] : [])));
  const nodes: number[] = [];
  for (let node = 0; node < model.nodes; node++) {
    if (model.numberOf(node) === number || graph.nodes.state[node]?.some((place) => inText(place)) === true) nodes.push(node);
  }
  const edges: number[] = [];
  for (let edge = 0; edge < model.edges; edge++) {
    if (actions.has(graph.edges.action[edge]!) || (number !== undefined && number >= 100 && graph.edges.status[edge] === number))
      edges.push(edge);
  }
  // The node that was asked for by its number stands before those that only contain it.
  return {
    nodes: number === undefined ? nodes : nodes.sort((a, b) => Number(model.numberOf(b) === number) - Number(model.numberOf(a) === number)),
    edges,
  };
}

/** Each text is looked at once, however many states have it. */
function texts(model: GraphModel, wanted: string): (place: number) => boolean {
  const known = new Map<number, boolean>();
  return (place) => {
    let is = known.get(place);
    if (is === undefined) known.set(place, (is = model.text(place).toLowerCase().includes(wanted)));
    return is;
  };
}
