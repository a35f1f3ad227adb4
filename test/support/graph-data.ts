import type { RecordedExchange } from "../../src/model/results/result.ts";
import type { GraphData } from "../../src/reports/index.ts";

export interface MadeGraph {
  readonly nodes: number;
  readonly edges: number;
  readonly actions: number;
  /** Returns the state of a node as lines of text. */
  readonly state?: (node: number) => readonly string[];
  readonly exchange?: (edge: number) => RecordedExchange;
}

/**
 * Returns a graph like that of an exploration: each node except the root is first reached from an earlier node, and further edges join nodes with
 * close numbers. The graph is the same for each call with the same sizes.
 */
export function madeGraph({ nodes, edges, actions, state, exchange }: MadeGraph): GraphData {
  let seed = 7;
  const draw = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((seed / 0x80000000) * below);
  };
  const parent = [-1];
  const depth = [0];
  const from: number[] = [];
  const to: number[] = [];
  const action: number[] = [];
  const taken = Array.from({ length: nodes }, () => 0);
  const join = (start: number, end: number): void => {
    from.push(start);
    to.push(end);
    action.push(taken[start]!++);
  };
  const withRoom = (start: number): number => {
    let node = Math.max(0, Math.min(nodes - 1, start));
    while (taken[node]! >= actions) node = (node + 1) % nodes;
    return node;
  };
  for (let node = 1; node < nodes; node++) {
    const start = Math.min(node - 1, withRoom(Math.floor(node / 3) - draw(10)));
    parent.push(start);
    depth.push(depth[start]! + 1);
    join(start, node);
  }
  while (from.length < edges) {
    const start = withRoom(draw(nodes));
    join(start, draw(20) === 0 ? start : Math.max(0, Math.min(nodes - 1, start + draw(400) - 200)));
  }
  const places = from.map((_, edge) => edge);
  return {
    actions: Array.from({ length: actions }, (_, one) => `action_${one}`),
    totalNodes: nodes,
    totalEdges: from.length,
    nodes: {
      id: parent.map((_, node) => node),
      parent,
      action: parent.map((start, node) => (start < 0 ? -1 : action[node - 1]!)),
      depth,
      state: parent.map((_, node) => state?.(node) ?? null),
    },
    edges: {
      from,
      action,
      to,
      status: places.map((edge) => (edge % 7 === 0 ? 409 : 200)),
      found: places.map(() => 0),
      exchanges: places.map((edge) => (exchange === undefined ? null : [exchange(edge)])),
    },
  };
}
