import { within } from "../rows/stored-edges.ts";
import type { StoredGraph } from "../rows/stored-graph.ts";

/** The nodes and edges of paths. */
export interface Paths {
  readonly nodes: ReadonlySet<number>;
  readonly edges: ReadonlySet<number>;
}

/** A path, as far as it has been followed. */
interface Walk {
  readonly path: readonly string[];
  readonly nodes: number[];
  readonly edges: number[];
}

/**
 * Follows paths from the root as far as the graph has them: a shrunk path may leave the explored part. All paths are followed at once, in passes over
 * the batches that may have their next edges. Edges to new states are committed before edges that start there, so the path of a finding is followed
 * in one pass. Each further pass takes some path at least one edge farther, or is the last.
 */
export function pathsInGraph({ actions, edges }: StoredGraph, findings: readonly (readonly string[])[]): Paths {
  const numbers = new Map(actions.map((name, action) => [name, action]));
  /** By (state, action) pair: the paths that continue along it. */
  const waiting = new Map<number, Walk[]>();
  const stand = (walk: Walk, node: number): void => {
    walk.nodes.push(node);
    const action = numbers.get(walk.path[walk.edges.length] ?? "");
    if (walk.edges.length === walk.path.length || action === undefined) return;
    const pair = node * actions.length + action;
    const others = waiting.get(pair);
    if (others === undefined) waiting.set(pair, [walk]);
    else others.push(walk);
  };
  const walks = findings.filter((path) => path.length > 0).map((path): Walk => ({ path, nodes: [], edges: [] }));
  for (const walk of walks) stand(walk, 0);
  for (let moved = true; moved && waiting.size > 0;) {
    moved = false;
    edges.some(
      (span) => [...waiting.keys()].some((pair) => within(Math.floor(pair / actions.length), span.from)),
      (edge, { from, action, to }) => {
        const pair = from * actions.length + action;
        const here = waiting.get(pair);
        if (here === undefined) return;
        waiting.delete(pair);
        moved = true;
        for (const walk of here) {
          walk.edges.push(edge);
          if (to >= 0) stand(walk, to);
        }
      },
    );
  }
  return { nodes: new Set(walks.flatMap(({ nodes }) => nodes)), edges: new Set(walks.flatMap(({ edges: one }) => one)) };
}
