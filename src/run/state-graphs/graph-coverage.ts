import type { GraphShape } from "../../model/declare/state-graph/graph-shape.ts";

/** The committed steps of a state graph's exploration, as columns with one entry for each step. Each action is an edge of the declared graph. */
export interface ExploredEdges {
  readonly from: Int32Array;
  readonly action: Int32Array;
  /** The state that each step reached; -1 if the step reached no state, because the action threw or the target crashed. */
  readonly to: Int32Array;
  readonly status: Int32Array;
  /** 1 for a step with a finding, else 0. */
  readonly found: Int32Array;
}

export interface GraphCoverage {
  readonly unreachedNodes: readonly string[];
  /** Declared edges that were never followed and never failed, although their start node was reached. */
  readonly deadEdges: readonly string[];
  /**
   * Names of the unreached nodes and dead edges that are certain. Other unreached nodes and dead edges might be reached through a state that was not
   * fully expanded.
   */
  readonly certain: ReadonlySet<string>;
  /** For each declared edge, the first state at its start node; -1 if there is no such state. */
  readonly triedFrom: readonly number[];
}

/** Answers with this status or a higher status are refusals, so the edge was not followed. */
export const REFUSED = 400;
const SERVER_ERROR = 500;

/**
 * Assigns each state to a node of the declared graph, by following the committed steps. A followed edge leads to its end node; any other step keeps
 * the node. A state's node is part of its fingerprint, so all steps into a state agree on the node.
 *
 * States behind a failed edge, or behind a state that was not expanded (because of a broken rule or the budget), are unknown. Results about nodes and
 * edges that could be reached from there are not certain.
 *
 * @param open Returns `true` if a state was not fully expanded.
 */
export function graphCoverage(graph: GraphShape, edges: ExploredEdges, states: number, open: (state: number) => boolean): GraphCoverage {
  const nodeNumber = new Map(graph.nodes.map((name, number) => [name, number]));
  const ends = graph.edges.map(({ to }) => nodeNumber.get(to)!);
  const starts = graph.edges.map(({ from }) => nodeNumber.get(from)!);
  const nodeOf = new Int32Array(states).fill(-1);
  nodeOf[0] = nodeNumber.get(graph.initial)!;
  const followed = new Set<number>();
  const failed = new Set<number>();
  edges.from.forEach((from, i) => {
    const [action, to, status] = [edges.action[i]!, edges.to[i]!, edges.status[i]!];
    // An edge from a node to itself counts as followed even if its call is refused, because users declare such edges for calls that the API must
    // refuse.
    const follows = to >= 0 && (status < REFUSED || ends[action] === starts[action]);
    if (follows) followed.add(action);
    if (to < 0 || (status >= SERVER_ERROR && edges.found[i] === 1)) failed.add(action);
    if (to < 0) return;
    if (nodeOf[to] === -1) nodeOf[to] = follows ? ends[action]! : nodeOf[from]!;
  });

  const firstState = new Int32Array(graph.nodes.length).fill(-1);
  const behind = new Set<number>([...failed].map((action) => ends[action]!));
  for (let state = 0; state < states; state++) {
    const node = nodeOf[state]!;
    if (node < 0) continue;
    if (firstState[node] === -1) firstState[node] = state;
    if (open(state)) behind.add(node);
  }
  // Collect all nodes that can be reached. A loop over a Set also visits the values that are added during the loop.
  for (const node of behind) starts.forEach((start, edge) => start === node && behind.add(ends[edge]!));

  const unreached = graph.nodes.filter((_, node) => firstState[node] === -1);
  const dead = graph.edges.filter((_, edge) => firstState[starts[edge]!] !== -1 && !followed.has(edge) && !failed.has(edge));
  return {
    unreachedNodes: unreached,
    deadEdges: dead.map(({ name }) => name),
    certain: new Set([
      ...unreached.filter((node) => !behind.has(nodeNumber.get(node)!)).map(unreachedName),
      ...dead.filter(({ from }) => !behind.has(nodeNumber.get(from)!)).map(({ name }) => deadName(name)),
    ]),
    triedFrom: starts.map((start) => firstState[start]!),
  };
}

export const unreachedName = (node: string): string => `${node}_unreached`;
export const deadName = (edge: string): string => `${edge}_dead`;

/** Returns `true` if a finding is about a node or an edge of a user's state graph that was not reached. */
export const isOfGraph = (invariant: string): boolean => invariant.endsWith(deadName("")) || invariant.endsWith(unreachedName(""));
