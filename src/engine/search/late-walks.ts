import type { Committer } from "../commit/committer.ts";

/** Number of first edges of an action that are watched, and number of last edges. */
const EACH = 2;
/** Longer paths are not watched, since watching each step takes too long. */
const DEEPEST = 40;

/** An edge after which the stores are watched for late writes. */
export interface LateWalk {
  readonly from: number;
  readonly action: number;
  readonly to: number;
}

/**
 * Returns the edges to watch for late writes: for each action that writes, the last and the first edges that were answered with 2xx. The edges are in
 * rounds over the actions. An edge on the path to a selected edge is watched together with that edge.
 */
export function lateWalks(committer: Committer): readonly LateWalk[] {
  const { edges, nodes } = committer;
  const first = new Map<number, LateWalk[]>();
  const last = new Map<number, LateWalk[]>();
  for (let edge = 0; edge < edges.size; edge++) {
    const { from, action, to, status } = edges.at(edge);
    // Data that was drawn on another path cannot be drawn again on this path.
    if (
      status < 200 ||
      status > 299 ||
      to < 0 ||
      !committer.writes(action) ||
      nodes.depth(from) >= DEEPEST ||
      nodes.draws(from) !== undefined
    )
      continue;
    const [some, ends] = [listOf(first, action), listOf(last, action)];
    if (some.length < EACH) some.push({ from, action, to });
    ends.unshift({ from, action, to });
    if (ends.length > EACH) ends.pop();
  }
  const seen = new Set<string>();
  const walks: LateWalk[] = [];
  for (let round = 0; round < 2 * EACH; round++) {
    for (const action of first.keys()) {
      const walk = (round % 2 === 0 ? last : first).get(action)![Math.floor(round / 2)];
      if (walk === undefined || seen.has(`${walk.from},${action}`)) continue;
      const { from } = walk;
      walks.push(walk);
      seen.add(`${from},${action}`);
      for (let node = from; node > 0; node = nodes.parent(node)) seen.add(`${nodes.parent(node)},${nodes.action(node)}`);
    }
  }
  return walks;
}

function listOf(lists: Map<number, LateWalk[]>, action: number): LateWalk[] {
  let list = lists.get(action);
  if (list === undefined) lists.set(action, (list = []));
  return list;
}
