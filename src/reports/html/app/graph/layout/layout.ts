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

/**
 * Moves connected nodes together and other nodes apart in a worker, and calls `onStep` with the new positions. If the browser allows no worker, nodes
 * keep their positions.
 */
export function startLayout(positions: Float32Array, { from, to, heat, signal }: LayoutEdges, onStep: (step: LayoutStep) => void): void {
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
