import type { EdgeLog } from "./edge-log.ts";
import { ShortestPaths } from "./shortest-paths.ts";

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
  const { distance } = new ShortestPaths(edges, nodes);
  let smallest = Infinity;
  for (const node of open) smallest = Math.min(smallest, distance[node]!);
  return Number.isFinite(smallest) ? smallest : 0;
}
