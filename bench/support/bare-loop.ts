import { Pool } from "undici";
import type { ExplorationGraph } from "../../src/model/results/result.ts";
import type { StoreAdapter } from "../../src/model/stores/store-adapter.ts";

export interface BareRun {
  readonly steps: number;
  readonly written: number;
  readonly ms: number;
}

/**
 * Makes the requests, checkpoints and restores of an exploration in the same order, without the engine. Nothing is predicted, looked up, hashed,
 * checked, recorded or verified. As in the engine, each node is written directly, each action that changed something is undone, and the state of each
 * new node is captured once. Throws an error if a status differs from the recorded one.
 */
export async function bareLoop(
  graph: ExplorationGraph,
  origin: string,
  system: Required<Pick<StoreAdapter, "capture" | "write">> & StoreAdapter,
): Promise<BareRun> {
  const pool = new Pool(origin, { connections: 1, pipelining: 1 });
  const requests = graph.actions.map(requestOf);
  const images = new Array<unknown>(graph.nodes);
  const opened = new Set<number>([0]);
  images[0] = await system.capture();
  let written = 0;
  const start = performance.now();
  for (let edge = 0; edge < graph.edges;) {
    const node = graph.edgeFrom[edge]!;
    if (node !== 0) {
      await system.write(images[node]);
      images[node] = undefined;
      written++;
    }
    const mark = await system.mark();
    for (; edge < graph.edges && graph.edgeFrom[edge] === node; edge++) {
      const { statusCode, body } = await pool.request(requests[graph.edgeAction[edge]!]!);
      await body.text();
      if (statusCode !== graph.edgeStatus[edge]) throw new Error(`Edge ${edge} answered ${statusCode}, not ${graph.edgeStatus[edge]}.`);
      if (!(await system.changed(mark))) continue;
      const to = graph.edgeTo[edge]!;
      if (!opened.has(to)) {
        opened.add(to);
        images[to] = await system.capture();
      }
      await system.restore(mark);
    }
  }
  const ms = performance.now() - start;
  await pool.close();
  return { steps: graph.edges, written, ms };
}

/** Returns the request of an action of the ledger. The name of the action tells it: `create`, `pay_2`. */
export function requestOf(action: string): { readonly method: "POST"; readonly path: string } {
  const [verb, order] = action.split("_");
  return { method: "POST", path: order === undefined ? "/orders" : `/orders/${order}/${verb}` };
}
