import { quadtree, type Quadtree } from "d3-quadtree";
import { pointOf, type EdgeShapes } from "./edge-shapes.ts";

type Point = readonly [x: number, y: number];

export interface DrawnEdges {
  readonly shapes: EdgeShapes;
  readonly edges: Iterable<number>;
  /** The coordinates of all nodes: x and y of the first node, x and y of the second node, and so on. */
  readonly positions: Float32Array;
}

/** Finds the node or edge at a point of the graph, such as the mouse position. */
export class Hit {
  #tree: Quadtree<number> | undefined;

  /** Discards the spatial index of nodes. Must be called after nodes have moved. */
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

  /** Returns the edge that is nearest to a point, if its distance is less than `within`. A curve is approximated by eight line segments. */
  edge({ shapes, edges, positions }: DrawnEdges, point: Point, within: number): number | undefined {
    let best: number | undefined;
    let nearest = within;
    for (const edge of edges) {
      const curve = shapes.curve(edge, positions);
      const pieces = shapes.isStraight(edge) ? 1 : 8;
      let from: Point = [curve.x1, curve.y1];
      for (let piece = 1; piece <= pieces; piece++) {
        const to = pointOf(curve, piece / pieces);
        const far = distance(point, from, to);
        if (far < nearest) [nearest, best] = [far, edge];
        from = to;
      }
    }
    return best;
  }
}

function distance([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}
