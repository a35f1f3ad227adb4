import type { Explorer } from "./explorer.ts";
import { CLEAN, OPENED } from "./node-table.ts";

/** The states that wait to be expanded, or wholly or partly were not. */
export function openStates({ committer, order }: Pick<Explorer, "committer" | "order">): ReadonlySet<number> {
  const open = new Set(order.waiting());
  for (let node = 0; node < committer.visited.size; node++) {
    if (committer.nodes.has(node, CLEAN) && !committer.nodes.has(node, OPENED)) open.add(node);
  }
  return open;
}
