import type { GraphData } from "../../document/report-data.ts";

/** The neighbours of each node in both directions, in typed arrays, because a graph may have 200,000 edges. */
interface Neighbours {
  of(node: number, each: (other: number) => void): void;
}

/** The part of a graph that the report contains, as ascending indexes of nodes and edges in the whole graph. */
export interface Sample {
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  /**
   * For each node of the whole graph, the number of steps to the nearest node on the path of a finding; -1 if there is no connection. Without
   * findings, the number of steps to the root.
   */
  readonly distance: Int32Array;
}

/**
 * Chooses a part of a graph that is small enough to draw: first the paths of findings, then the nodes nearest to them. Without findings, the nodes
 * nearest to the root are chosen. For each node, the nodes on its path from the root are chosen, too, so that the part is connected.
 * @param paths the indexes of the nodes and edges on the paths of findings
 */
export function sampleGraph(
  { nodes, edges }: GraphData,
  paths: { readonly nodes: readonly number[]; readonly edges: readonly number[] },
  mostNodes: number,
  mostEdges: number,
): Sample {
  const seeds = paths.nodes;
  const count = nodes.id.length;
  const placeOf = new Map(nodes.id.map((id, place) => [id, place]));
  const near = neighbours(
    count,
    edges.from.map((id) => placeOf.get(id) ?? -1),
    edges.to.map((id) => placeOf.get(id) ?? -1),
  );
  const distance = new Int32Array(count).fill(-1);
  const queue = new Int32Array(count);
  let end = 0;
  for (const place of seeds.length > 0 ? seeds : [0]) {
    if (place >= count || distance[place] === 0) continue;
    distance[place] = 0;
    queue[end++] = place;
  }
  for (let at = 0; at < end; at++) {
    const place = queue[at]!;
    near.of(place, (other) => {
      if (distance[other] !== -1) return;
      distance[other] = distance[place]! + 1;
      queue[end++] = other;
    });
  }
  const taken = new Uint8Array(count);
  let left = Math.min(count, mostNodes);
  const take = (place: number): void => {
    const chain: number[] = [];
    for (let at: number | undefined = place; at !== undefined && taken[at] === 0; at = placeOf.get(nodes.parent[at]!)) chain.push(at);
    if (chain.length > left) return;
    for (const one of chain) taken[one] = 1;
    left -= chain.length;
  };
  if (count > 0) take(0);
  for (let at = 0; at < end && left > 0; at++) take(queue[at]!);
  for (let place = 0; place < count && left > 0; place++) take(place);
  const shown: number[] = [];
  for (let place = 0; place < count; place++) if (taken[place] === 1) shown.push(place);
  return { nodes: shown, edges: sampleEdges({ nodes, edges }, new Set(paths.edges), placeOf, taken, mostEdges), distance };
}

/**
 * Chooses edges in this order: edges on paths of findings, edges that first reach a node, edges between other nodes, then loops and edges that lead
 * to no state.
 */
function sampleEdges(
  { nodes, edges }: Pick<GraphData, "nodes" | "edges">,
  onPaths: ReadonlySet<number>,
  placeOf: ReadonlyMap<number, number>,
  taken: Uint8Array,
  most: number,
): readonly number[] {
  const ranks: number[][] = [[], [], [], []];
  edges.from.forEach((from, edge) => {
    const [start, end] = [placeOf.get(from), placeOf.get(edges.to[edge]!)];
    if (start === undefined || taken[start] !== 1 || (edges.to[edge] !== -1 && (end === undefined || taken[end] !== 1))) return;
    const first = end !== undefined && nodes.parent[end] === from && nodes.action[end] === edges.action[edge];
    const rank = edges.found[edge] === 1 || onPaths.has(edge) ? 0 : first ? 1 : end !== undefined && end !== start ? 2 : 3;
    ranks[rank]!.push(edge);
  });
  return ranks
    .flat()
    .slice(0, most)
    .sort((a, b) => a - b);
}

/** @param from the node at which each edge begins; edges whose `from` or `to` is -1 are ignored */
function neighbours(count: number, from: readonly number[], to: readonly number[]): Neighbours {
  const start = new Int32Array(count + 1);
  const joins = (edge: number): boolean => from[edge]! >= 0 && to[edge]! >= 0;
  for (let edge = 0; edge < from.length; edge++) {
    if (!joins(edge)) continue;
    start[from[edge]! + 1]!++;
    start[to[edge]! + 1]!++;
  }
  for (let node = 0; node < count; node++) start[node + 1]! += start[node]!;
  const next = start.slice(0, count);
  const others = new Int32Array(start[count]!);
  for (let edge = 0; edge < from.length; edge++) {
    if (!joins(edge)) continue;
    others[next[from[edge]!]!++] = to[edge]!;
    others[next[to[edge]!]!++] = from[edge]!;
  }
  return {
    of(node, each) {
      for (let at = start[node]!; at < start[node + 1]!; at++) each(others[at]!);
    },
  };
}
