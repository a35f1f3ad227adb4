import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mix } from "../../../src/engine/mix.ts";
import { VisitedReader, VisitedSet } from "../../../src/engine/visited-set.ts";
import { size } from "../../sizes.ts";

const halves = fc.tuple(fc.integer(), fc.integer());

describe("VisitedSet", () => {
  it("numbers states in the order of their insertion and finds exactly those", () => {
    fc.assert(
      fc.property(fc.uniqueArray(halves, { selector: String, maxLength: 300 }), fc.array(halves), (added, others) => {
        // Small, so that it grows several times.
        const set = new VisitedSet(8);
        added.forEach(([lo, hi], number) => {
          expect(set.find(lo, hi)).toBe(-1);
          expect(set.add(lo, hi)).toBe(number);
        });
        expect(set.size).toBe(added.length);
        added.forEach(([lo, hi], number) => {
          expect(set.find(lo, hi)).toBe(number);
          expect([set.lo(number), set.hi(number)]).toEqual([lo, hi]);
        });
        const known = new Set(added.map(String));
        for (const [lo, hi] of others) expect(set.find(lo, hi) >= 0).toBe(known.has(String([lo, hi])));
      }),
      { numRuns: size(100, 1000) },
    );
  });

  it("keeps states apart that share their home slot, whichever half differs", () => {
    const set = new VisitedSet(16);
    // With hi = 0 the home slot is lo modulo the capacity.
    const keys = [3, 19, 35, 3 + 16 * 1000, 3 - 16].map((lo) => [lo, 0] as const);
    for (const [lo, hi] of keys) set.add(lo, hi);
    keys.forEach(([lo, hi], number) => expect(set.find(lo, hi)).toBe(number));
    expect(set.find(51, 0)).toBe(-1);
    expect(set.find(3, 1)).toBe(-1);
    expect(set.find(0, 3)).toBe(-1);
  });

  it("wraps around at the end of its slots", () => {
    const set = new VisitedSet(8);
    for (const lo of [7, 15, 23]) set.add(lo, 0);
    expect([7, 15, 23, 31].map((lo) => set.find(lo, 0))).toEqual([0, 1, 2, -1]);
  });

  it("takes the fingerprint of all zeros like any other", () => {
    const set = new VisitedSet(8);
    expect(set.find(0, 0)).toBe(-1);
    expect(set.add(0, 0)).toBe(0);
    expect(set.find(0, 0)).toBe(0);
  });

  it("stays under the promised bytes for a state after growing", () => {
    const set = new VisitedSet();
    for (let id = 0; id < 100_000; id++) set.add(mix(id, 1), mix(id, 2));
    expect(set.bytes / set.size).toBeLessThan(40);
  });
});

describe("VisitedReader", () => {
  it("sees what was added to the memory that it was given", () => {
    const set = new VisitedSet(64);
    const reader = new VisitedReader(set.memory);
    expect(reader.has(5, 6)).toBe(false);
    set.add(5, 6);
    expect(reader.has(5, 6)).toBe(true);
  });

  it("on memory that was outgrown, knows what it knew and nothing wrong", () => {
    const set = new VisitedSet(64);
    set.add(1, 1);
    const stale = new VisitedReader(set.memory);
    for (let id = 2; id < 1000; id++) set.add(id, id);
    expect(stale.has(1, 1)).toBe(true);
    expect(stale.has(999, 999)).toBe(false);
    expect(stale.has(5000, 1)).toBe(false);
    expect(new VisitedReader(set.memory).has(999, 999)).toBe(true);
  });

  it("ends its search on every memory that it may be given, at any time while the set grows", () => {
    const set = new VisitedSet(8);
    const readers: VisitedReader[] = [];
    for (let id = 0; id < 2000; id++) {
      set.add(id * 8, 0);
      readers.push(new VisitedReader(set.memory));
    }
    for (const [added, reader] of readers.entries()) {
      expect(reader.has(0, 0)).toBe(true);
      expect(reader.has(added * 8, 0)).toBe(true);
      expect(reader.has(3, 3)).toBe(false);
    }
  });
});
