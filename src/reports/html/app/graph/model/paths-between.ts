import type { GraphModel } from "./graph-model.ts";

/** The largest number of nodes that the search for paths visits. This number limits the time of the search. */
const TRIES = 200_000;

/**
 * Returns paths from one node to another as lists of edges, the shortest first; empty if no path exists. No path visits a node twice. Parallel edges
 * between two nodes give different paths.
 */
export function pathsBetween(model: GraphModel, from: number, to: number, most: number): readonly (readonly number[])[] {
  const left = distances(model, to);
  const shortest = left[from]!;
  if (shortest < 0) return [];
  const { edges } = model.graph;
  const found: (readonly number[])[] = [];
  let tries = TRIES;
  for (let length = shortest; length < model.nodes && found.length < most && tries > 0; length++) {
    const before = found.length;
    const path: number[] = [];
    const visited = new Set([from]);
    const walk = (node: number): void => {
      if (found.length >= most || tries-- <= 0) return;
      if (node === to && path.length === length) return void found.push([...path]);
      if (node === to || path.length >= length) return;
      for (const edge of model.leaving(node)) {
        const next = edges.to[edge]!;
        if (next < 0 || visited.has(next) || left[next]! < 0 || path.length + 1 + left[next]! > length) continue;
        visited.add(next);
        path.push(edge);
        walk(next);
        path.pop();
        visited.delete(next);
      }
    };
    walk(from);
    // The only path from a state to itself is the empty path.
    if (from === to) break;
    if (found.length === before && length > shortest + 8) break;
  }
  return found;
}

/** Returns the number of edges on the shortest path from each node to the given node; -1 if no path exists. */
function distances(model: GraphModel, to: number): Int32Array {
  const { edges } = model.graph;
  const distance = new Int32Array(model.nodes).fill(-1);
  distance[to] = 0;
  const queue = [to];
  for (let at = 0; at < queue.length; at++) {
    for (const edge of model.reaching(queue[at]!)) {
      const start = edges.from[edge]!;
      if (distance[start] !== -1) continue;
      distance[start] = distance[queue[at]!]! + 1;
      queue.push(start);
    }
  }
  return distance;
}
