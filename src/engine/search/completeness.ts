import type { EdgeLog } from "../graph/edge-log.ts";
import type { Explorer } from "./explorer.ts";
import { openStates } from "./open-states.ts";
import { BfsFrontier } from "../frontiers/index.ts";
import { ShortestPaths } from "../graph/shortest-paths.ts";

/** Of how many states, and which. */
interface States extends Iterable<number> {
  readonly size: number;
}

/**
 * Up to which depth everything was found: the smallest distance from the root, over the clean committed edges, of a state that is
 * not wholly expanded.
 *
 * Why this is right for every strategy: let a state have true depth k, at most that distance d. On a shortest path to it every
 * earlier state lies less than k <= d from the root; if the first one that is not expanded came before its end, all before that
 * one would be expanded and its distance over committed edges would be less than d, which contradicts the choice of d.
 */
export function completeToDepth(edges: EdgeLog, nodes: number, open: States, deepest: number): number {
  if (open.size === 0) return deepest;
  const paths = new ShortestPaths(edges, nodes);
  return nearest(open, (node) => paths.distance(node));
}

/** The same of an exploration. Breadth first opens states by their distance: that is their depth, and no edge has to be looked at. */
export function explorationCompleteTo(
  { committer, order }: Pick<Explorer, "committer" | "order">,
  deepest: number,
  open: States = openStates({ committer, order }),
): number {
  const { edges, visited, nodes } = committer;
  if (!(order instanceof BfsFrontier)) return completeToDepth(edges, visited.size, open, deepest);
  return open.size === 0 ? deepest : nearest(open, (node) => nodes.depth(node));
}

function nearest(open: States, distance: (node: number) => number): number {
  let smallest = Infinity;
  for (const node of open) smallest = Math.min(smallest, distance(node));
  return Number.isFinite(smallest) ? smallest : 0;
}
