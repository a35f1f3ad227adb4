import { within } from "../rows/stored-edges.ts";
import type { StoredGraph } from "../rows/stored-graph.ts";

/** The nodes and edges that lie on a set of paths. */
interface Paths {
  readonly nodes: ReadonlySet<number>;
  readonly edges: ReadonlySet<number>;
}

/** A path that is being followed in the graph, with the nodes and edges on it that were found so far. */
interface Walk {
  readonly path: readonly string[];
  readonly nodes: number[];
  readonly edges: number[];
}

export interface Sample {
  /** The selected nodes. A parent always comes before its children. */
  readonly nodes: readonly number[];
  readonly paths: Paths;
}

/**
 * Selects the nodes that a report shows: all, or about `most` of a larger graph. Nodes on paths of findings come first, then their neighbours, then
 * the nodes nearest to the root. Ancestors of selected nodes are always included, so the result may have a few nodes more than `most`.
 */
export function sampleNodes(graph: StoredGraph, findings: readonly (readonly string[])[], most: number): Sample {
  const { depths, parents } = graph;
  const paths = pathsInGraph(graph, findings);
  const shown = new Set<number>();
  const add = (node: number): void => {
    for (let at = node; at >= 0 && !shown.has(at); at = parents[at]!) shown.add(at);
  };
  for (const node of paths.nodes) add(node);
  if (depths.length > most && paths.nodes.size > 0) {
    const onPaths = [...paths.nodes];
    graph.edges.some(
      (span) => shown.size < most && onPaths.some((node) => within(node, span.from) || within(node, span.to)),
      (_edge, { from, to }) => {
        if (to < 0 || shown.size >= most || !(paths.nodes.has(from) || paths.nodes.has(to))) return;
        add(from);
        add(to);
      },
    );
  }
  for (const node of nearestToRoot(graph, most)) {
    if (shown.size >= most) break;
    add(node);
  }
  return { nodes: [...shown].sort((a, b) => depths[a]! - depths[b]! || a - b), paths };
}

/** Returns up to `most` nodes, the nodes nearest to the root first. A parent always comes before its children. */
function nearestToRoot({ depths, byDepth: { states } }: StoredGraph, most: number): readonly number[] {
  let left = most;
  const limit = states.findIndex((count) => {
    if (count >= left) return true;
    left -= count;
    return false;
  });
  const nodes: number[] = [];
  // If the nodes of the greatest selected depth do not all fit, some are left out. `left` is the number of nodes of this depth that still fit.
  for (let node = 0; node < depths.length && nodes.length < most; node++) {
    const depth = depths[node]!;
    if (limit < 0 || depth < limit || (depth === limit && left-- > 0)) nodes.push(node);
  }
  return nodes.sort((a, b) => depths[a]! - depths[b]! || a - b);
}

/**
 * Finds the nodes and edges of paths from the root state. A path ends early if the graph does not contain its next step, which is possible for
 * shortened paths.
 *
 * All paths are followed together. Each pass over the edges reads only batches of commits that can contain the next edge of a path. The edge that
 * first reaches a state is committed before the edges that start there, so one pass is usually enough. The passes end when no path makes progress.
 */
export function pathsInGraph({ actions, edges }: StoredGraph, findings: readonly (readonly string[])[]): Paths {
  const numbers = new Map(actions.map((name, action) => [name, action]));
  /** For each (state, action) pair, the paths whose next step is this pair. The key is the number of the pair. */
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
