import type { ExplorationEntry } from "../../../src/reports/index.ts";
import { document, explored } from "../reports/hostile-report.ts";

/** An answer of a model: the status, and the next state; a state that is left out stays, `null` is none. Without an answer the call is not made. */
export type Answer = readonly [status: number, to?: string | null] | undefined;

export type Model = (state: string, action: string) => Answer;

/** Explores a model breadth first, and returns it as the document of a run has it. States that `isClosed` accepts are not expanded. */
export function exploredModel(
  actions: readonly string[],
  model: Model,
  changes: Partial<ExplorationEntry> & { readonly isClosed?: (state: string) => boolean } = {},
): ExplorationEntry {
  const { isClosed = () => false, ...facts } = changes;
  const states = ["root"];
  const [parents, parentActions, depths] = [[-1], [-1], [0]];
  const edges: { from: number; action: number; to: number; status: number }[] = [];
  const statuses: Record<string, Record<string, number>> = Object.fromEntries(actions.map((name) => [name, {}]));
  for (let from = 0; from < states.length; from++) {
    if (isClosed(states[from]!)) continue;
    actions.forEach((name, action) => {
      const answer = model(states[from]!, name);
      if (answer === undefined) return;
      const [status, next = states[from]!] = answer;
      if (next !== null && !states.includes(next)) {
        states.push(next);
        parents.push(from);
        parentActions.push(action);
        depths.push(depths[from]! + 1);
      }
      edges.push({ from, action, to: next === null ? -1 : states.indexOf(next), status });
      statuses[name]![status] = (statuses[name]![status] ?? 0) + 1;
    });
  }
  const [entry] = document({ explorations: [explored({ invariants: [] })] }).explorations;
  return {
    ...entry!,
    statesVisited: states.length,
    transitions: edges.length,
    coverage: {
      pairs: 1,
      actions: Object.fromEntries(actions.map((name) => [name, { applied: 1, skipped: 0, statuses: statuses[name]! }])),
    },
    graph: {
      actions,
      nodes: states.length,
      edges: edges.length,
      parents,
      parentActions,
      depths,
      edgeFrom: edges.map(({ from }) => from),
      edgeAction: edges.map(({ action }) => action),
      edgeTo: edges.map(({ to }) => to),
      edgeStatus: edges.map(({ status }) => status),
    },
    ...facts,
  };
}

/** One order: created, paid, refunded once. */
export const order: Model = (state, action) => {
  if (action === "create") return state === "root" ? [201, "created"] : undefined;
  if (action === "pay") return state === "root" ? [404] : state === "created" ? [200, "paid"] : [409];
  if (action === "refund") return state === "paid" ? [200, "refunded"] : state === "root" ? [404] : [409];
  return [204];
};
export const ACTIONS: readonly string[] = ["create", "pay", "refund"];
