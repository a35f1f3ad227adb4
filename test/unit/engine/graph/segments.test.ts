import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BfsFrontier } from "../../../../src/engine/frontiers/bfs-frontier.ts";
import { Segments } from "../../../../src/engine/graph/segments.ts";
import { size } from "../../../sizes.ts";

describe("Segments", () => {
  it("gives every position exactly once, whatever the interleaving of lanes, new nodes, commits and limits", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("take" as const), lane: fc.nat(3), limit: fc.nat(60) }),
      fc.record({ kind: fc.constant("open" as const), count: fc.integer({ min: 1, max: 12 }) }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 120 }), (lanes, steps) => {
        const order = new BfsFrontier(1);
        const segments = new Segments(order, lanes);
        const given: number[] = [];
        let furthest = 0;
        const took = (lane: number, limit: number): boolean => {
          furthest = Math.max(furthest, limit);
          const position = segments.take(lane % lanes, limit);
          if (position < 0) return false;
          // A limit holds for sharing out; what was shared out under a wider one is still given.
          expect(position).toBeLessThan(Math.min(order.end, furthest));
          given.push(position);
          return true;
        };
        for (const one of steps) {
          if (one.kind === "take") took(one.lane, one.limit + given.length);
          else for (let i = 0; i < one.count; i++) order.open(order.end);
          const waiting = segments.waiting(Infinity);
          expect(waiting).toBe(order.end - given.length);
        }
        for (let lane = 0; took(lane, Infinity); lane++);
        expect(given.toSorted((a, b) => a - b)).toEqual([...Array(order.end).keys()]);
      }),
      { numRuns: size(32, 5000) },
    );
  });

  it("gives each lane a contiguous segment, and half of the largest rest when it runs dry", () => {
    const order = new BfsFrontier(1);
    for (let ref = 0; ref < 12; ref++) order.open(ref);
    const segments = new Segments(order, 2);
    expect([0, 1, 2, 3, 4, 5].map(() => segments.take(0, Infinity))).toEqual([0, 1, 2, 3, 4, 5]);
    // What is left is new: the second lane takes its share, the first one the rest, then they steal.
    expect(segments.take(1, Infinity)).toBe(6);
    expect(segments.take(0, Infinity)).toBe(9);
    expect(segments.take(1, Infinity)).toBe(7);
    expect([segments.take(0, Infinity), segments.take(0, Infinity)]).toEqual([10, 11]);
    expect(segments.take(0, Infinity)).toBe(8);
    expect(segments.take(0, Infinity)).toBe(-1);
    expect(segments.take(1, Infinity)).toBe(-1);
  });

  it("skips what was dispatched in another way", () => {
    const order = new BfsFrontier(1);
    for (let ref = 0; ref < 5; ref++) order.open(ref);
    const segments = new Segments(order, 1);
    segments.skipTo(3);
    expect(segments.waiting(Infinity)).toBe(2);
    expect(segments.take(0, Infinity)).toBe(3);
    segments.skipTo(1);
    expect(segments.take(0, Infinity)).toBe(4);
  });
});
