import { NodeTable } from "../../src/engine/graph/node-table.ts";
import { VisitedSet } from "../../src/engine/graph/visited-set.ts";

/** Returns the size in bytes of the visited set and the node table together, for a number of states. */
export function tableBytes(states: number): number {
  const visited = new VisitedSet();
  const nodes = new NodeTable();
  for (let node = 0; node < states; node++) {
    visited.add(Math.imul(node, 0x9e3779b1), Math.imul(node ^ 0x5bd1e995, 0x85ebca6b));
    nodes.add(node - 1, 0, node);
  }
  return visited.bytes + nodes.bytes;
}
