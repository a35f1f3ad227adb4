/** The neighbours of each node, in both directions, in arrays that hold 200,000 edges without objects. */
export interface Neighbours {
  of(node: number, each: (other: number) => void): void;
}

/** @param from places of nodes; -1: none, and the edge joins nothing */
export function neighbours(count: number, from: readonly number[], to: readonly number[]): Neighbours {
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
