import { SHORT_ID } from "../../../../../model/results/state-id.ts";
import type { GraphModel } from "./graph-model.ts";

export interface Found {
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
}

/**
 * Finds nodes by their number, by their name in commands, or by a text in their state. Finds edges by their action or their HTTP status. An empty
 * query finds nothing.
 */
export function search(model: GraphModel, query: string): Found {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return { nodes: [], edges: [] };
  const { graph } = model;
  const number = /^\d+$/.test(wanted) ? Number(wanted) : undefined;
  const name = /^[0-9a-f]{4,16}$/.test(wanted) ? wanted.slice(0, SHORT_ID) : undefined;
  const inText = texts(model, wanted);
  const actions = new Set(graph.actions.flatMap((name, action) => (name.toLowerCase().includes(wanted) ? [action] : [])));
  const nodes: number[] = [];
  for (let node = 0; node < model.nodes; node++) {
    const isNamed = model.groups !== undefined && model.labelOf(node).toLowerCase().includes(wanted);
    const isCalled = name !== undefined && model.stateName(node).startsWith(name);
    if (isNamed || isCalled || model.numberOf(node) === number || graph.nodes.state[node]?.some((place) => inText(place)) === true)
      nodes.push(node);
  }
  const edges: number[] = [];
  for (let edge = 0; edge < model.edges; edge++) {
    if (actions.has(graph.edges.action[edge]!) || (number !== undefined && number >= 100 && graph.edges.status[edge] === number))
      edges.push(edge);
  }
  // Put the node with the searched number before nodes whose states only contain this text.
  return {
    nodes: number === undefined ? nodes : nodes.sort((a, b) => Number(model.numberOf(b) === number) - Number(model.numberOf(a) === number)),
    edges,
  };
}

/** Returns a function that searches a text of the list by its index. Each text is searched only once, even if many states contain it. */
function texts(model: GraphModel, wanted: string): (place: number) => boolean {
  const known = new Map<number, boolean>();
  return (place) => {
    let is = known.get(place);
    if (is === undefined) known.set(place, (is = model.text(place).toLowerCase().includes(wanted)));
    return is;
  };
}
