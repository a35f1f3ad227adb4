import type { GraphShape } from "../../model/declare/graph-shape.ts";

/** The committed exploration of a state graph, index by index; an action is an edge of the graph. */
export interface ExploredEdges {
  readonly from: Int32Array;
  readonly action: Int32Array;
  /** -1: no state was reached (the action threw, or the target crashed). */
  readonly to: Int32Array;
  readonly status: Int32Array;
  /** 1: the edge has a finding. */
  readonly found: Int32Array;
}

/** The coverage of a state graph. */
export interface GraphCoverage {
  /** Nodes that the world never reached. */
  readonly unreachedNodes: readonly string[];
  /** Edges that were never followed and never failed, although the world was at their start node. */
  readonly deadEdges: readonly string[];
  /** Names of the findings above that are certain, since their node or edge cannot lie behind a state that was not wholly expanded. */
  readonly certain: ReadonlySet<string>;
  /** Per edge: the first state at its start node; -1 if there was none. */
  readonly triedFrom: readonly number[];
}

/** A status of 400 and above is a refusal. A server error that is a finding says nothing about the edge. */
const REFUSED = 400;
const SERVER_ERROR = 500;

/**
 * Follows the committed edges to find the graph node of each state: an edge that was followed leads to its end, and any other step stays. A state's
 * node is part of its fingerprint, so every step into the state gives the same node.
 *
 * Nothing is known behind a state that was not expanded (it broke a rule, or the budget ended there), or behind an edge that failed. Nodes and edges
 * that the graph could have reached from there are not certain.
 *
 * @param open Returns `true` if a state was not wholly expanded.
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
    // A loop is followed even if its call is refused: users declare a call that must be refused as a loop.
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
  // Iterating a set includes values that are added meanwhile.
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
