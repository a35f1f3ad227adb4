import type { GraphLists } from "../../document/graph-lists.ts";

export interface FollowedPath {
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
}

type Followed = Pick<GraphLists<unknown, unknown>, "actions"> & {
  readonly nodes: Pick<GraphLists<unknown, unknown>["nodes"], "id">;
  readonly edges: Pick<GraphLists<unknown, unknown>["edges"], "from" | "action" | "to">;
};

/**
 * Returns a function that finds the nodes and edges on a path in a graph. The path is a list of action names. The function stops at the first step
 * that the graph does not contain.
 */
export function pathFollower({ actions, nodes, edges }: Followed): (path: readonly string[]) => FollowedPath {
  const actionOf = new Map(actions.map((name, index) => [name, index]));
  const placeOf = new Map(nodes.id.map((id, place) => [id, place]));
  const edgeOf = new Map(edges.from.map((from, edge) => [from * actions.length + edges.action[edge]!, edge]));
  return (path) => {
    const found: { nodes: number[]; edges: number[] } = { nodes: placeOf.has(0) ? [placeOf.get(0)!] : [], edges: [] };
    let at = 0;
    for (const name of path) {
      const action = actionOf.get(name);
      const edge = action === undefined ? undefined : edgeOf.get(at * actions.length + action);
      if (edge === undefined) break;
      found.edges.push(edge);
      at = edges.to[edge]!;
      const place = placeOf.get(at);
      if (place === undefined) break;
      found.nodes.push(place);
    }
    return found;
  };
}
