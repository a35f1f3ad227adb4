import type { Committer } from "../commit/committer.ts";
import { CLEAN, FOREIGN, OPENED } from "../graph/node-table.ts";
import { NodeSet } from "../graph/node-set.ts";
import type { Frontier } from "../frontiers/index.ts";

/** Returns the states that are not completely expanded: states in the frontier, states at the depth limit, and states of other shards. */
export function openStates({
  committer,
  order,
}: {
  readonly committer: Pick<Committer, "nodes" | "visited">;
  readonly order: Pick<Frontier, "waiting">;
}): NodeSet {
  const { nodes, visited } = committer;
  const open = new NodeSet(visited.size);
  for (const node of order.waiting()) open.add(node);
  for (let node = 0; node < visited.size; node++) {
    if ((nodes.has(node, CLEAN) && !nodes.has(node, OPENED)) || nodes.has(node, FOREIGN)) open.add(node);
  }
  return open;
}
