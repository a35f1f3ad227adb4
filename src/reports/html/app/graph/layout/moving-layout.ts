import type { EmbeddedGraph } from "../../../embedded.ts";
import { startLayout } from "./layout.ts";
import type { LayoutStep } from "./layout-worker.ts";

/** Milliseconds that a layout has before one with more nodes takes its place. */
const LEAST_MS = 1_000;
/** How far nodes may move: all of them at first, and later as little as new neighbours demand. */
const FIRST = 0.6;
const LATER = 0.25;

/** Lays a graph out, and again when it has grown. */
export class MovingLayout {
  readonly #graph: EmbeddedGraph;
  readonly #positions: () => Float32Array;
  readonly #moved: (step: LayoutStep) => void;
  #running: AbortController | undefined;
  #begun = 0;
  #timer = 0;

  /** @param positions the present positions */
  constructor(graph: EmbeddedGraph, positions: () => Float32Array, moved: (step: LayoutStep) => void) {
    this.#graph = graph;
    this.#positions = positions;
    this.#moved = moved;
    this.#start(FIRST);
  }

  /** Nodes that were added find their places soon. */
  grew(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#start(LATER), Math.max(0, this.#begun + LEAST_MS - performance.now()));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
  }

  #start(heat: number): void {
    this.close();
    this.#begun = performance.now();
    const { signal } = (this.#running = new AbortController());
    startLayout(this.#positions(), { ...this.#graph.edges, heat, signal }, ({ positions, done }) => {
      // Nodes that came since are behind those that have moved.
      const all = Float32Array.from(this.#positions());
      all.set(positions);
      this.#moved({ positions: all, done });
    });
  }
}
