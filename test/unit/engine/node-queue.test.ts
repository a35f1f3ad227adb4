import { expect, it } from "vitest";
import { NodeQueue } from "../../../src/engine/frontiers/node-queue.ts";

it("keeps every node at its place, whatever was cut off before it", () => {
  const queue = new NodeQueue();
  const count = 100_000;
  for (let place = 0; place < count; place++) queue.push(place * 3);
  expect(queue.end).toBe(count);
  for (let head = 0; head < count; head += 7_001) {
    queue.cut(head);
    for (const place of [head, head + 1, count - 1]) if (place < count) expect(queue.at(place)).toBe(place * 3);
  }
  queue.push(5);
  expect([queue.end, queue.at(count), queue.at(count - 1)]).toEqual([count + 1, 5, (count - 1) * 3]);
});

it("goes on after all of it was cut off", () => {
  const queue = new NodeQueue();
  for (let place = 0; place < 1 << 15; place++) queue.push(place);
  queue.cut(queue.end);
  queue.push(42);
  expect(queue.at(queue.end - 1)).toBe(42);
});
