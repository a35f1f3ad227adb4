import type { GraphData } from "../document/report-data.ts";
import { pathFollower } from "./path-follower.ts";

/** Returns the name that commands use for a state; `undefined` if unknown. The state is given by its number in the exploration or by a path to it. */
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
