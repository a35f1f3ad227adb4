import type { EmbeddedGraph } from "../../../graph/embedded.ts";
import type { LayoutStep, LayoutTask } from "./layout-worker.ts";

/** The time limit of the layout, in milliseconds. The reader can use the graph while nodes move. */
const TIME = 12_000;

interface LayoutEdges {
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** How far nodes may move at the beginning, from 0 to 1, as in {@link LayoutTask}. */
  readonly heat: number;
  readonly signal: AbortSignal;
}

/** The minimum number of milliseconds that a layout runs before a layout with more nodes replaces it. */
const LEAST_MS = 1_000;
/** `FIRST`, `LATER`: how far nodes may move, from 0 to 1, in the first layout and in later layouts with added nodes. */
const FIRST = 0.6;
const LATER = 0.25;

/** Computes the positions of a graph's nodes, and computes them again when nodes were added. */
export class MovingLayout {
  readonly #graph: EmbeddedGraph;
  readonly #positions: () => Float32Array;
  readonly #moved: (step: LayoutStep) => void;
  #running: AbortController | undefined;
  #begun = 0;
  #timer = 0;

  /** @param positions returns the current positions of all nodes */
  constructor(graph: EmbeddedGraph, positions: () => Float32Array, moved: (step: LayoutStep) => void) {
    this.#graph = graph;
    this.#positions = positions;
    this.#moved = moved;
    this.#start(FIRST);
  }

  /** Starts a new layout with the added nodes, at the earliest `LEAST_MS` after the previous layout started. */
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
      // Only the nodes at the beginning of the list have moved. The nodes after them were added since the layout started.
      const all = Float32Array.from(this.#positions());
      all.set(positions);
      this.#moved({ positions: all, done });
    });
  }
}

/**
 * Moves connected nodes together and other nodes apart in a worker, and calls `onStep` with the new positions. If the browser allows no worker, nodes
 * keep their positions.
 */
function startLayout(positions: Float32Array, { from, to, heat, signal }: LayoutEdges, onStep: (step: LayoutStep) => void): void {
  const script = document.getElementById("app")?.textContent ?? "";
  if (script === "") return;
  const edges: number[] = [];
  from.forEach((start, edge) => {
    if (to[edge]! >= 0) edges.push(start, to[edge]!);
  });
  try {
    const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const worker = new Worker(url);
    signal.addEventListener("abort", () => worker.terminate());
    worker.addEventListener("message", ({ data }: MessageEvent<LayoutStep>) => {
      if (signal.aborted) return;
      onStep(data);
      if (!data.done) return;
      worker.terminate();
      URL.revokeObjectURL(url);
    });
    worker.addEventListener("error", () => worker.terminate());
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
    worker.postMessage({ positions, edges: Int32Array.from(edges), time: TIME, heat } satisfies LayoutTask);
  } catch {
    // The browser allows no worker, so the nodes keep their initial positions.
  }
}
