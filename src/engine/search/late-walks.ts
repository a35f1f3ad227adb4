import type { Committer } from "../commit/committer.ts";

/** For each action: number of first steps, and number of last steps, that are checked for late writes. */
const EACH = 2;
/** Longest path, in steps, that is checked for late writes. Watching the stores after each step of a longer path would take too long. */
const DEEPEST = 40;

/** A step after which the stores are watched for late writes. */
export interface LateWalk {
  readonly from: number;
  readonly action: number;
  readonly to: number;
}

/**
 * Returns the steps to check for late writes: for each action that writes, its first and its last steps that worked (status below 400). The list
 * alternates between the actions. A step on the path to another listed step is left out, since it is checked together with the other step. `watched`:
 * steps that were checked before and are also left out.
 */
export function lateWalks(committer: Committer, watched: readonly LateWalk[] = []): readonly LateWalk[] {
  const { nodes } = committer;
  const first = new Map<number, LateWalk[]>();
  const last = new Map<number, LateWalk[]>();
  for (const step of writesOf(committer)) {
    const [some, ends] = [listOf(first, step.action), listOf(last, step.action)];
    if (some.length < EACH) some.push(step);
    ends.unshift(step);
    if (ends.length > EACH) ends.pop();
  }
  const seen = new Set<string>(watched.map(({ from, action }) => `${from},${action}`));
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

/** Returns, for each action that writes, its first step with a status below 400. */
export function firstWrites(committer: Committer): readonly LateWalk[] {
  const first = new Map<number, LateWalk>();
  for (const step of writesOf(committer)) if (!first.has(step.action)) first.set(step.action, step);
  return [...first.values()];
}

/** Yields the steps with a status below 400 of actions that write, in the order in which they were committed. */
function* writesOf(committer: Committer): Generator<LateWalk> {
  const { edges, nodes } = committer;
  for (let edge = 0; edge < edges.size; edge++) {
    const { from, action, to, status } = edges.at(edge);
    const isWrite = status >= 200 && status < 400 && to >= 0 && committer.writes(action);
    // Skip a step whose data was drawn from another path, because a replay of this path would draw other data.
    if (isWrite && nodes.depth(from) < DEEPEST && nodes.draws(from) === undefined) yield { from, action, to };
  }
}

function listOf(lists: Map<number, LateWalk[]>, action: number): LateWalk[] {
  let list = lists.get(action);
  if (list === undefined) lists.set(action, (list = []));
  return list;
}
