import type { GraphShape } from "../../model/declare/graph-shape.ts";

/** The committed exploration of a state graph, index by index; an action is an edge of the graph. */
export interface ExploredEdges {
  readonly from: Int32Array;
  readonly action: Int32Array;
  /** -1: no state was reached (the action threw, the target crashed). */
  readonly to: Int32Array;
  readonly status: Int32Array;
  /** 1: a finding is on it. */
  readonly found: Int32Array;
}

/** What an exploration says about the graph itself. */
export interface GraphCoverage {
  /** Nodes that the world was never at. */
  readonly unreachedNodes: readonly string[];
  /** Edges that were never followed, although the world was at the node that they leave, and none of them failed. */
  readonly deadEdges: readonly string[];
  /** Of both: those that could not be behind a state which was not gone on from, and so are certain. */
  readonly certain: ReadonlySet<string>;
  /** Per edge: the first state at the node that it leaves; -1 when there was none. */
  readonly triedFrom: readonly number[];
}

/** Status 400 and above refuses; a server error that is a finding says nothing about the edge. */
const REFUSED = 400;
const SERVER_ERROR = 500;

/**
 * Follows the committed edges. At which node of the graph a state is follows from them: an edge that was followed leads to its end, any other
 * step stays. A state's node is part of its fingerprint, so that every step into it says the same.
 *
 * What is behind a state that was not gone on from (it broke a rule, or the budget ended there), or behind an edge that failed, is not
 * known: nothing is claimed about nodes and edges that the graph could have reached from there.
 *
 * @param open Whether a state was not, or not wholly, gone on from.
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
    // A loop leads to where it begins, also where the call is refused: so is written what must be refused.
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
  // A set goes on to what is added while it is iterated.
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
