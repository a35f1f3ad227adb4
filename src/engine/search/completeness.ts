import type { EdgeLog } from "../graph/edge-log.ts";
import type { Explorer } from "./explorer.ts";
import { openStates } from "./open-states.ts";
import { ShortestPaths } from "../graph/shortest-paths.ts";

/** A set of states with its size. */
interface States extends Iterable<number> {
  readonly size: number;
}

/**
 * Returns the depth up to which everything was found: the smallest distance from the root, over the clean committed edges, of a state that is not
 * wholly expanded.
 *
 * This holds for every strategy. Let a state have true depth k, at most that distance d. On a shortest path to it every earlier state lies less than
 * k <= d from the root. If the first one that is not expanded came before the end of the path, all states before it would be expanded. Its distance
 * over committed edges would then be less than d, which contradicts the choice of d.
 */
export function completeToDepth(edges: EdgeLog, nodes: number, open: States, deepest: number): number {
  if (open.size === 0) return deepest;
  const paths = new ShortestPaths(edges, nodes);
  return nearest(open, (node) => paths.distance(node));
}

/**
 * Returns {@link completeToDepth} for an exploration. A strategy that is shortest first opens states in order of distance, so the distance of a state is its
 * depth and no edge has to be read.
 */
export function explorationCompleteTo(
  { committer, order, traits }: Pick<Explorer, "committer" | "order" | "traits">,
  deepest: number,
  open: States = openStates({ committer, order }),
): number {
  const { edges, visited, nodes } = committer;
  if (!traits.isShortestFirst) return completeToDepth(edges, visited.size, open, deepest);
  return open.size === 0 ? deepest : nearest(open, (node) => nodes.depth(node));
}

function nearest(open: States, distance: (node: number) => number): number {
  let smallest = Infinity;
  for (const node of open) smallest = Math.min(smallest, distance(node));
  return Number.isFinite(smallest) ? smallest : 0;
}
