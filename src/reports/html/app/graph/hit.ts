import { quadtree, type Quadtree } from "d3-quadtree";
import { pointOf, type EdgeShapes } from "./edge-shapes.ts";

/** Finds the node or edge under a point of the graph. */
export class Hit {
  #tree: Quadtree<number> | undefined;

  /** Drops the index after nodes have moved. */
  forget(): void {
    this.#tree = undefined;
  }

  node(positions: Float32Array, x: number, y: number, within: number): number | undefined {
    this.#tree ??= quadtree<number>(
      Array.from({ length: positions.length / 2 }, (_, node) => node),
      (node) => positions[node * 2]!,
      (node) => positions[node * 2 + 1]!,
    );
    return this.#tree.find(x, y, within);
  }

  /** Returns the nearest edge; a curve is approximated by a few straight pieces. */
  edge(shapes: EdgeShapes, edges: Iterable<number>, positions: Float32Array, x: number, y: number, within: number): number | undefined {
    let best: number | undefined;
    let nearest = within;
    for (const edge of edges) {
      const curve = shapes.curve(edge, positions);
      const pieces = shapes.isStraight(edge) ? 1 : 8;
      let [ax, ay] = [curve.x1, curve.y1];
      for (let piece = 1; piece <= pieces; piece++) {
        const [bx, by] = pointOf(curve, piece / pieces);
        const far = distance(x, y, ax, ay, bx, by);
        if (far < nearest) [nearest, best] = [far, edge];
        [ax, ay] = [bx, by];
      }
    }
    return best;
  }
}

/** Returns the distance from a point to a line segment. */
function distance(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}
