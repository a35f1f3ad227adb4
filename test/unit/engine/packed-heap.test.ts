import { expect, it } from "vitest";
import { mix } from "../../../src/engine/graph/mix.ts";
import { HeapAhead, PackedHeap, type Packing } from "../../../src/engine/frontiers/packed-heap.ts";
import { PAGE } from "../../../src/engine/graph/paged.ts";

interface Value {
  readonly rank: number;
  readonly id: number;
}

const PACKING: Packing<Value> = {
  width: 3,
  put(numbers, at, { rank, id }) {
    numbers.set(at, rank);
    numbers.set(at + 1, id);
    numbers.set(at + 2, id);
  },
  get: (numbers, at) => ({ rank: numbers.at(at), id: numbers.at(at + 2) }),
  before: (numbers, a, b) => numbers.at(a) < numbers.at(b) || (numbers.at(a) === numbers.at(b) && numbers.at(a + 1) < numbers.at(b + 1)),
};
const before = (a: Value, b: Value): boolean => a.rank < b.rank || (a.rank === b.rank && a.id < b.id);

// Values lie across the ends of pages.
const COUNT = Math.ceil((2.5 * PAGE) / PACKING.width);
const values = Array.from({ length: COUNT }, (_, id): Value => ({ rank: mix(id, 7) % 1000, id }));
const sorted = values.toSorted((a, b) => (before(a, b) ? -1 : 1));

it("takes values in their order, over several pages", () => {
  const heap = new PackedHeap(PACKING);
  for (const value of values) heap.push(value);
  expect([...heap].toSorted((a, b) => a.id - b.id)).toEqual(values);
  expect(values.map(() => heap.pop())).toEqual(sorted);
  expect([heap.pop(), heap.at(0)]).toEqual([undefined, undefined]);
});

it("is looked ahead in without being changed, with what comes in meanwhile", () => {
  const heap = new PackedHeap(PACKING);
  const [later, now] = [values.filter(({ id }) => id % 5 === 0), values.filter(({ id }) => id % 5 !== 0)];
  for (const value of now) heap.push(value);
  const ahead = new HeapAhead(heap, before);
  for (const value of later) ahead.push(value);
  const taken = sorted.slice(0, 5_000).map((): Value | undefined => (ahead.first === undefined ? undefined : ahead.pop()));
  expect(taken).toEqual(sorted.slice(0, 5_000));
  expect(now.map(() => heap.pop())).toEqual(sorted.filter(({ id }) => id % 5 !== 0));
});
