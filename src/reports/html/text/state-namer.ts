import type { GraphData } from "../../document/report-data.ts";
import { pathFollower } from "../graph/path-follower.ts";

/**
 * Returns the name of a state, as used in commands; `undefined` if it is unknown. The parameter is the number of the state in the exploration, or a
 * path to the state.
 */
export type StateNamer = (state: number | readonly string[]) => string | undefined;

export function stateNamer(graph: GraphData | undefined): StateNamer {
  const names = graph?.nodes.name;
  if (graph === undefined || names === undefined) return () => undefined;
  const byNumber = new Map(graph.nodes.id.map((id, place) => [id, names[place]!]));
  let follow: ReturnType<typeof pathFollower> | undefined;
  return (state) => {
    if (typeof state === "number") return byNumber.get(state) || undefined;
    const { nodes } = (follow ??= pathFollower(graph))(state);
    return nodes.length === state.length + 1 ? names[nodes.at(-1)!] || undefined : undefined;
  };
}
