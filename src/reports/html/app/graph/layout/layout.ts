import type { LayoutStep, LayoutTask } from "./layout-worker.ts";

/** Milliseconds during which nodes move; the graph can be used from the start. */
const TIME = 12_000;

/** The edges of a graph. */
interface LayoutEdges {
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** See {@link LayoutTask}. */
  readonly heat: number;
  /** Aborting it ends the layout. */
  readonly signal: AbortSignal;
}

/** Moves nodes by forces in a worker, and passes on their positions. If a browser allows no worker, nodes stay on their rings. */
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
    // The first layout stays.
  }
}
