import type { EmbeddedGraph } from "../../../graph/embedded.ts";
import { SPACING } from "./first-layout.ts";

/** The angle between the directions of consecutive new nodes, in radians. Several new children of one node thus get different positions. */
const TURN = 2.4;

/**
 * Returns the positions of nodes after nodes were added. Existing nodes keep their positions. Each new node is placed next to its parent, away from
 * the root.
 */
export function grownLayout(positions: Float32Array, { nodes: { parent } }: Pick<EmbeddedGraph, "nodes">): Float32Array {
  const grown = new Float32Array(parent.length * 2);
  grown.set(positions);
  for (let node = positions.length / 2; node < parent.length; node++) {
    const from = parent[node]!;
    if (from < 0) continue;
    const [x, y] = [grown[from * 2]!, grown[from * 2 + 1]!];
    const spread = ((node * TURN) % (2 * Math.PI)) - Math.PI;
    const angle = x === 0 && y === 0 ? spread : Math.atan2(y, x) + spread / 3;
    grown[node * 2] = x + Math.cos(angle) * SPACING;
    grown[node * 2 + 1] = y + Math.sin(angle) * SPACING;
  }
  return grown;
}
