/**
 * A heap that is never changed: pushing and popping take O(log n), return a new heap, and leave the old heap valid. A frontier with such a heap can
 * therefore be copied by copying one reference. The structure is a persistent leftist heap (C. A. Crane, 1972; Okasaki, Purely Functional Data
 * Structures, 3.1).
 */
export interface Heap<T> {
  readonly value: T;
  readonly rank: number;
  readonly left: Heap<T> | undefined;
  readonly right: Heap<T> | undefined;
}

export type Before<T> = (a: T, b: T) => boolean;

export function push<T>(heap: Heap<T> | undefined, value: T, before: Before<T>): Heap<T> {
  return merge(heap, { value, rank: 1, left: undefined, right: undefined }, before)!;
}

export function pop<T>(heap: Heap<T>, before: Before<T>): Heap<T> | undefined {
  return merge(heap.left, heap.right, before);
}

function merge<T>(a: Heap<T> | undefined, b: Heap<T> | undefined, before: Before<T>): Heap<T> | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  // The right spine of a leftist heap has at most log2(n + 1) nodes, so this recursion is never deep.
  const [first, second] = before(b.value, a.value) ? [b, a] : [a, b];
  const merged = merge(first.right, second, before)!;
  const left = first.left;
  const leftRank = left === undefined ? 0 : left.rank;
  return leftRank >= merged.rank
    ? { value: first.value, rank: merged.rank + 1, left, right: merged }
    : { value: first.value, rank: leftRank + 1, left: merged, right: left };
}
