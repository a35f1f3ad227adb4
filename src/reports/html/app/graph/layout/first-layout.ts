import type { EmbeddedGraph } from "../../../graph/embedded.ts";

/** The distance between connected nodes that the layout tries to reach. */
export const SPACING = 40;

/**
 * Returns the initial positions of nodes: rings by depth, where each node is in its parent's part of the ring. The graph is then readable from the
 * first frame, and the later force-directed layout needs fewer moves.
 * @returns x and y of the first node, x and y of the second node, and so on
 */
export function firstLayout({ nodes: { parent, depth } }: Pick<EmbeddedGraph, "nodes">): Float32Array {
  const count = parent.length;
  const leaves = new Float64Array(count);
  // Count from the last node to the first one, because each parent has a lower index than its children.
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
