import type { EdgeLog } from "./edge-log.ts";

/**
 * Up to which depth everything was found: the smallest distance from the root, over the clean committed edges, of a state that is
 * not wholly expanded.
 *
 * Why this is right for every strategy: let a state have true depth k, at most that distance d. On a shortest path to it every
 * earlier state lies less than k <= d from the root; if the first one that is not expanded came before its end, all before that
 * one would be expanded and its distance over committed edges would be less than d, which contradicts the choice of d.
 */
export function completeToDepth(edges: EdgeLog, nodes: number, open: ReadonlySet<number>, deepest: number): number {
  if (open.size === 0) return deepest;
  const distance = distances(edges, nodes);
  let smallest = Infinity;
  for (const node of open) smallest = Math.min(smallest, distance[node]!);
  return Number.isFinite(smallest) ? smallest : 0;
}

function distances(edges: EdgeLog, nodes: number): Float64Array {
  const distance = new Float64Array(nodes).fill(Infinity);
  const from = edges.from();
  const to = edges.to();
  const clean = edges.clean();
  const { starts, targets } = adjacency(from, to, clean, nodes);
  const queue = new Int32Array(nodes);
  distance[0] = 0;
  let end = 1;
  for (let at = 0; at < end; at++) {
    const node = queue[at]!;
    for (let i = starts[node]!; i < starts[node + 1]!; i++) {
      const next = targets[i]!;
      if (distance[next]! !== Infinity) continue;
      distance[next] = distance[node]! + 1;
      queue[end++] = next;
    }
  }
  return distance;
}

function adjacency(from: Int32Array, to: Int32Array, clean: Uint8Array, nodes: number): { starts: Int32Array; targets: Int32Array } {
  const starts = new Int32Array(nodes + 1);
  for (let edge = 0; edge < from.length; edge++) if (clean[edge] === 1) starts[from[edge]! + 1]!++;
  for (let node = 0; node < nodes; node++) starts[node + 1]! += starts[node]!;
  const fill = starts.slice();
  const targets = new Int32Array(starts[nodes]!);
  for (let edge = 0; edge < from.length; edge++) if (clean[edge] === 1) targets[fill[from[edge]!]!++] = to[edge]!;
  return { starts, targets };
}
