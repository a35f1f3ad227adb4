import { Pool } from "undici";
import type { ExplorationGraph } from "../../src/model/results/result.ts";
import type { MeasuredSide } from "../peers/measured-side.ts";
import { requestOf } from "../support/bare-loop.ts";
import type { BareStore, Change } from "./bare-store.ts";

type Content = ReadonlyMap<string, string>;

/**
 * Walks the graph of an exploration in the order of the exploration, without the engine. It sends the same HTTP requests, and on separate connections
 * only the indispensable statements:
 * - for each node, one write of its state and one checkpoint;
 * - after each request, one look, which is the observation;
 * - after each step that changed something, the queries of the invariants and one restore;
 * - after a cancellation that changed nothing, the query of the invariant with a `when`.
 *
 * Nothing is predicted, hashed, recorded, verified or executed twice, and late writes are not detected. Throws an error if a request is answered with
 * another status than in the graph.
 */
export async function bareWalk(graph: ExplorationGraph, origin: string, store: BareStore): Promise<MeasuredSide> {
  const pool = new Pool(origin, { connections: 1, pipelining: 1 });
  const requests = graph.actions.map(requestOf);
  const images = new Array<Content | undefined>(graph.nodes);
  let now: Content = new Map();
  images[0] = now;
  const start = performance.now();
  for (let edge = 0; edge < graph.edges;) {
    const node = graph.edgeFrom[edge]!;
    const here: Content = images[node]!;
    images[node] = undefined;
    if (node !== 0) await store.put(changesBetween(now, here));
    if ((await store.mark()).length > 0) throw new Error(`Node ${node} was written to by nobody.`);
    for (; edge < graph.edges && graph.edgeFrom[edge] === node; edge++) {
      const action = graph.edgeAction[edge]!;
      const { statusCode, body } = await pool.request(requests[action]!);
      await body.text();
      if (statusCode !== graph.edgeStatus[edge]) throw new Error(`Edge ${edge} answered ${statusCode}, not ${graph.edgeStatus[edge]}.`);
      const changes = await store.look();
      const cancels = graph.actions[action]!.startsWith("cancel");
      if (changes.length === 0) {
        if (cancels) await store.check("cancelled after shipping");
        continue;
      }
      const reached = new Map(here);
      for (const [key, content] of changes) {
        if (content === undefined) reached.delete(key);
        else reached.set(key, content);
      }
      const to = graph.edgeTo[edge]!;
      if (to > node && !(to in images)) images[to] = reached;
      await store.check("cancelled after shipping");
      await store.check("refunded too much");
      if (cancels) await store.check("cancelled after shipping");
      await store.put(changesBetween(reached, here));
    }
    now = here;
  }
  const ms = performance.now() - start;
  await pool.close();
  return { steps: graph.edges, ms };
}

function changesBetween(from: Content, to: Content): Change[] {
  const changes: Change[] = [];
  for (const key of from.keys()) if (!to.has(key)) changes.push([key, undefined]);
  for (const [key, content] of to) if (from.get(key) !== content) changes.push([key, content]);
  return changes;
}
