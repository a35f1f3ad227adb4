import type { EmbeddedGraph } from "../../../embedded.ts";

/** The distance that the layout aims at between joined nodes. */
export const SPACING = 40;

/**
 * Returns the positions of nodes before forces move them. Nodes are on rings by depth, each within its parent's part of the circle. The graph is then
 * readable from the first frame, and forces have less to do.
 * @returns x and y of each node, one node after another
 */
export function firstLayout({ nodes: { parent, depth } }: Pick<EmbeddedGraph, "nodes">): Float32Array {
  const count = parent.length;
  const leaves = new Float64Array(count);
  // Counts from the last node to the first, because parents precede their children.
  for (let node = count - 1; node >= 0; node--) {
    if (leaves[node] === 0) leaves[node] = 1;
    if (parent[node]! >= 0) leaves[parent[node]!]! += leaves[node]!;
  }
  const start = new Float64Array(count);
  const width = new Float64Array(count);
  const used = new Float64Array(count);
  const onRing: number[] = [];
  for (let node = 0; node < count; node++) onRing[depth[node]!] = (onRing[depth[node]!] ?? 0) + 1;
  const radius: number[] = [];
  for (let ring = 0, last = 0; ring < onRing.length; ring++) {
    last = ring === 0 ? 0 : Math.max(last + SPACING, ((onRing[ring] ?? 0) * SPACING * 0.3) / (2 * Math.PI));
    radius.push(last);
  }
  const positions = new Float32Array(count * 2);
  for (let node = 0; node < count; node++) {
    const from = parent[node]!;
    if (from < 0) {
      start[node] = 0;
      width[node] = 2 * Math.PI;
    } else {
      width[node] = (width[from]! * leaves[node]!) / Math.max(1, leaves[from]!);
      start[node] = start[from]! + used[from]!;
      used[from]! += width[node]!;
    }
    const angle = start[node]! + width[node]! / 2;
    const far = radius[depth[node]!] ?? 0;
    positions[node * 2] = Math.cos(angle) * far;
    positions[node * 2 + 1] = Math.sin(angle) * far;
  }
  return positions;
}
