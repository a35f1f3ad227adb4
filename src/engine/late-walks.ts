import type { Committer } from "./committer.ts";

/** As many of the first edges of an action are watched, and as many of the last ones. */
const EACH = 2;

/** An edge at whose end late writes are waited for. */
export interface LateWalk {
  readonly from: number;
  readonly action: number;
}

/**
 * Returns the edges to be watched for writes that come later than the answer: of each action that writes, the last and the first ones that were answered with
 * 2xx, in rounds over the actions. An edge on the path to an earlier one is watched with that.
 */
export function lateWalks(committer: Committer): readonly LateWalk[] {
  const { edges, nodes } = committer;
  const first = new Map<number, number[]>();
  const last = new Map<number, number[]>();
  for (let edge = 0; edge < edges.size; edge++) {
    const { from, action, status } = edges.at(edge);
    if (status < 200 || status > 299 || !committer.writes(action)) continue;
    const [some, ends] = [listOf(first, action), listOf(last, action)];
    if (some.length < EACH) some.push(from);
    ends.unshift(from);
    if (ends.length > EACH) ends.pop();
  }
  const seen = new Set<string>();
  const walks: LateWalk[] = [];
  for (let round = 0; round < 2 * EACH; round++) {
    for (const action of first.keys()) {
      const from = (round % 2 === 0 ? last : first).get(action)![Math.floor(round / 2)];
      if (from === undefined || seen.has(`${from},${action}`)) continue;
      walks.push({ from, action });
      seen.add(`${from},${action}`);
      for (let node = from; node > 0; node = nodes.parent(node)) seen.add(`${nodes.parent(node)},${nodes.action(node)}`);
    }
  }
  return walks;
}

function listOf(lists: Map<number, number[]>, action: number): number[] {
  let list = lists.get(action);
  if (list === undefined) lists.set(action, (list = []));
  return list;
}
