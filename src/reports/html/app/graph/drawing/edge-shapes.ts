import type { EmbeddedGraph } from "../../../graph/embedded.ts";

/** The shape of an edge, which is a quadratic curve, in the coordinates of the graph. */
export interface Curve {
  readonly x1: number;
  readonly y1: number;
  /** The control point of the quadratic curve, towards which the curve bends. */
  readonly cx: number;
  readonly cy: number;
  readonly x2: number;
  readonly y2: number;
}

/** The distance between neighbouring edges that connect the same two nodes. */
const APART = 9;
/** The length of an edge that leads to no state. */
const STUB = 18;

/**
 * The shapes of edges. The only edge between two nodes is straight; several edges are curves side by side. Loops, and edges that lead to no state,
 * are arranged around their node.
 */
export class EdgeShapes {
  readonly #from: readonly number[];
  readonly #to: readonly number[];
  /**
   * For an edge between two nodes: how far the edge bends. For a loop or an edge that leads to no state: its index among the loops and edges to no
   * state of the same node.
   */
  readonly #offset: Float32Array;

  constructor({ edges: { from, to } }: EmbeddedGraph, nodes: number) {
    this.#from = from;
    this.#to = to;
    this.#offset = new Float32Array(from.length);
    const pairs = new Map<number, number[]>();
    from.forEach((start, edge) => {
      const end = to[edge]!;
      const key = end < 0 || end === start ? -1 - start : Math.min(start, end) * nodes + Math.max(start, end);
      const list = pairs.get(key);
      if (list === undefined) pairs.set(key, [edge]);
      else list.push(edge);
    });
    for (const [key, list] of pairs) {
      list.forEach((edge, index) => {
        if (key < 0) this.#offset[edge] = index;
        else {
          const side = from[edge]! < to[edge]! ? 1 : -1;
          this.#offset[edge] = (index - (list.length - 1) / 2) * APART * side;
        }
      });
    }
  }

  isLoop(edge: number): boolean {
    return this.#to[edge] === this.#from[edge];
  }

  isStub(edge: number): boolean {
    return this.#to[edge]! < 0;
  }

  isStraight(edge: number): boolean {
    return this.#offset[edge] === 0 && !this.isLoop(edge) && !this.isStub(edge);
  }

  curve(edge: number, positions: Float32Array): Curve {
    const from = this.#from[edge]!;
    const to = this.#to[edge]!;
    const [x1, y1] = [positions[from * 2]!, positions[from * 2 + 1]!];
    const offset = this.#offset[edge]!;
    if (to < 0 || to === from) {
      const angle = -Math.PI / 2 + offset * 0.7;
      const [ux, uy] = [Math.cos(angle), Math.sin(angle)];
      if (to < 0) return { x1, y1, cx: x1 + (ux * STUB) / 2, cy: y1 + (uy * STUB) / 2, x2: x1 + ux * STUB, y2: y1 + uy * STUB };
      return { x1: x1 - uy * 3, y1: y1 + ux * 3, cx: x1 + ux * 26, cy: y1 + uy * 26, x2: x1 + uy * 3, y2: y1 - ux * 3 };
    }
    const [x2, y2] = [positions[to * 2]!, positions[to * 2 + 1]!];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    return {
      x1,
      y1,
      cx: (x1 + x2) / 2 + ((y1 - y2) / length) * offset * 2,
      cy: (y1 + y2) / 2 + ((x2 - x1) / length) * offset * 2,
      x2,
      y2,
    };
  }
}

/** Returns the point at the position `at` of a curve: 0 is the start of the curve, 1 the end. */
export function pointOf({ x1, y1, cx, cy, x2, y2 }: Curve, at: number): readonly [number, number] {
  const rest = 1 - at;
  return [rest * rest * x1 + 2 * rest * at * cx + at * at * x2, rest * rest * y1 + 2 * rest * at * cy + at * at * y2];
}
