import type { EdgeLog } from "../graph/edge-log.ts";
import type { Explorer } from "./explorer.ts";
import { openStates } from "./open-states.ts";
import { ShortestPaths } from "../graph/shortest-paths.ts";

interface States extends Iterable<number> {
  readonly size: number;
}

/**
 * Returns the depth to which the exploration is complete: the smallest distance from the root state to a state that is not completely expanded, or
 * `deepest` if there is no such state. Distances are counted along committed edges without blocking violations.
 *
 * The result is right for every strategy. Proof: let d be this smallest distance, and take any state whose true depth k is at most d. On a shortest
 * path to that state, every earlier state has a true depth less than k. Suppose that an earlier state is not expanded, and take the first such state.
 * All states before it are expanded, so its distance is its true depth, which is less than k <= d. A distance less than d contradicts the choice of
 * d. All earlier states are therefore expanded, and the state itself was found.
 */
export function completeToDepth(edges: EdgeLog, nodes: number, open: States, deepest: number): number {
  if (open.size === 0) return deepest;
  const paths = new ShortestPaths(edges, nodes);
  return nearest(open, (node) => paths.distance(node));
}

/**
 * Returns the depth to which an exploration is complete, like {@link completeToDepth}. Reads no edges if the strategy explores in the order of
 * depths.
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
