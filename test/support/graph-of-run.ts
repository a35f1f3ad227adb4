import type { Explorer } from "../../src/engine/search/explorer.ts";
import type { Graph } from "./graph-model.ts";
import type { NaiveStep } from "./naive-explorer.ts";

/** Returns the state to which a path of actions leads. @throws Error if an action of the path leads to no state */
export function walk(graph: Graph, path: readonly number[]): number {
  let state = 0;
  for (const action of path) {
    const does = graph.table[state]![action]!;
    if (does.kind !== "answer") throw new Error(`action ${action} gives no state in ${state}`);
    state = does.to;
  }
  return state;
}

/** Returns the state of the graph for each node of the engine, by following the path of the node. */
export function statesOfNodes(graph: Graph, { committer }: Explorer): readonly number[] {
  return Array.from({ length: committer.nodes.size }, (_, node) => walk(graph, committer.nodes.path(node)));
}

/** Returns the engine's committed steps, with the states of the graph. */
export function stepsOf(graph: Graph, explorer: Explorer): readonly NaiveStep[] {
  const states = statesOfNodes(graph, explorer);
  const { edges } = explorer.committer;
  const from = edges.from();
  const to = edges.to();
  const actions = edges.actions();
  const statuses = edges.statuses();
  return Array.from({ length: edges.size }, (_, edge) => ({
    from: states[from[edge]!]!,
    action: actions[edge]!,
    to: to[edge]! < 0 ? -1 : states[to[edge]!]!,
    status: statuses[edge]!,
  }));
}

/** Returns the steps as sorted texts, so that lists with different orders can be compared. */
export function sorted(steps: readonly NaiveStep[]): readonly string[] {
  return steps.map(({ from, action, to, status }) => `${from} a${action} ${to} ${status}`).toSorted();
}
