import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mix } from "../../../../src/engine/graph/mix.ts";
import { VisitedReader, VisitedSet } from "../../../../src/engine/graph/visited-set.ts";
import { size } from "../../../sizes.ts";

const halves = fc.tuple(fc.integer(), fc.integer());

describe("VisitedSet", () => {
  it("numbers states in the order of their insertion and finds exactly those", () => {
    fc.assert(
      fc.property(fc.uniqueArray(halves, { selector: String, maxLength: 300 }), fc.array(halves), (added, others) => {
        const set = new VisitedSet();
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
      { numRuns: size(20, 1000) },
    );
  });

  it("numbers and finds them just so when it is divided and its parts grow, whatever fingerprints it is given", () => {
    // Small numbers, as no hash gives them, beside mixed ones.
    const keysOf: readonly ((id: number) => readonly [number, number])[] = [
      (id) => [mix(id, 1) | 0, mix(id, 2) | 0],
      (id) => [id, 0],
      (id) => [7, -id],
      (id) => [id << 16, id],
    ];
    const count = size(100_000, 400_000);
    for (const keyOf of keysOf) {
      const set = new VisitedSet();
      let wrong = 0;
      for (let id = 0; id < count; id++) if (set.find(...keyOf(id)) !== -1 || set.add(...keyOf(id)) !== id) wrong++;
      for (let id = 0; id < count; id++)
        if (set.find(...keyOf(id)) !== id || set.lo(id) !== keyOf(id)[0] || set.hi(id) !== keyOf(id)[1]) wrong++;
      for (let id = count; id < 2 * count; id++) if (set.find(...keyOf(id)) !== -1) wrong++;
      expect([set.size, wrong]).toEqual([count, 0]);
    }
  });

  it("keeps states apart of which one half is the same", () => {
    const set = new VisitedSet();
    const keys = [
      [3, 0],
      [0, 3],
      [3, 3],
      [3, 1],
    ] as const;
    for (const [lo, hi] of keys) set.add(lo, hi);
    keys.forEach(([lo, hi], number) => expect(set.find(lo, hi)).toBe(number));
    expect(set.find(1, 3)).toBe(-1);
  });

  it("takes the fingerprint of all zeros like any other", () => {
    const set = new VisitedSet();
    expect(set.find(0, 0)).toBe(-1);
    expect(set.add(0, 0)).toBe(0);
    expect(set.find(0, 0)).toBe(0);
  });

  it("needs at most 16 bytes for a state, at any time once there are many", () => {
    const set = new VisitedSet();
    let most = 0;
    const count = size(300_000, 3_000_000);
    for (let id = 0; id < count; id++) {
      set.add(mix(id, 1) | 0, mix(id, 2) | 0, 1 + (id & 0xff));
      // Pages of keys are of 65,536 states each: what is not used of the last one is not a state's.
      if (id > 150_000 && id % 1000 === 0) most = Math.max(most, (set.bytes - 10 * 0x10000) / id);
    }
    expect(most).toBeLessThan(16);
    expect(most).toBeGreaterThan(12);
  });

  it("never has more than a 256th of its table to make anew at once, once there are many", () => {
    const set = new VisitedSet();
    let grown = 0;
    let version = -1;
    let largest = 0;
    for (let id = 0; id < 400_000; id++) {
      set.add(mix(id, 1) | 0, mix(id, 2) | 0);
      if (id < 70_000) version = set.growth(version)?.version ?? version;
      else {
        const growth = set.growth(version);
        if (growth === undefined) continue;
        version = growth.version;
        grown += growth.tables.length;
        for (const [, table] of growth.tables) largest = Math.max(largest, table.byteLength / 4);
        expect(growth.tables.length).toBeLessThanOrEqual(1);
      }
    }
    expect(largest).toBeLessThan((400_000 / 256) * 2);
    expect(grown).toBeGreaterThan(256 * 5);
  });

  it("notices another state with the fingerprint of a known one by the other hash, where both have one", () => {
    const set = new VisitedSet();
    const [one, without] = [set.add(1, 2, 7), set.add(3, 4)];
    expect([set.check(one), set.check(without)]).toEqual([7, 0]);
    expect([set.differs(one, 7), set.differs(one, 8), set.differs(one, 0)]).toEqual([false, true, false]);
    expect([set.differs(without, 9), set.differs(without, 9), set.differs(without, 8)]).toEqual([false, false, true]);
  });
});

/** What a lane has that was told of everything until now. */
function readerOf(set: VisitedSet): VisitedReader {
  const reader = new VisitedReader();
  reader.grow(set.growth(-1)!);
  return reader;
}

describe("VisitedReader", () => {
  it("knows nothing before it was told of anything", () => {
    expect(new VisitedReader().has(0, 0)).toBe(false);
  });

  it("sees what was added to the memory that it was given", () => {
    const set = new VisitedSet();
    const reader = readerOf(set);
    expect(reader.has(5, 6)).toBe(false);
    set.add(5, 6);
    expect(reader.has(5, 6)).toBe(true);
  });

  it("on memory that was outgrown, knows what it knew and nothing wrong", () => {
    const set = new VisitedSet();
    set.add(1, 1);
    const stale = readerOf(set);
    for (let id = 2; id < 100_000; id++) set.add(id, id);
    expect(stale.has(1, 1)).toBe(true);
    expect(stale.has(99_999, 99_999)).toBe(false);
    expect(stale.has(500_000, 1)).toBe(false);
    expect(readerOf(set).has(99_999, 99_999)).toBe(true);
  });

  it("is told only of what grew, and knows all then", () => {
    const set = new VisitedSet();
    const reader = new VisitedReader();
    let version = -1;
    let told = 0;
    for (let id = 0; id < 200_000; id++) {
      set.add(mix(id, 1) | 0, mix(id, 2) | 0);
      if (id % 100 !== 0) continue;
      const growth = set.growth(version);
      if (growth === undefined) continue;
      told += growth.tables.length;
      version = growth.version;
      reader.grow(growth);
      expect(reader.has(mix(id, 1) | 0, mix(id, 2) | 0)).toBe(true);
    }
    let missed = 0;
    for (let id = 0; id <= 199_900; id++) if (!reader.has(mix(id, 1) | 0, mix(id, 2) | 0)) missed++;
    expect(missed).toBe(0);
    // 256 tables grew six or seven times each.
    expect(told).toBeLessThan(256 * 10);
  });

  it("ends its search on every memory that it may be given, at any time while the set grows", () => {
    const set = new VisitedSet();
    const readers: VisitedReader[] = [];
    for (let id = 0; id < 5000; id++) {
      set.add(id * 8, 0);
      if (id % 10 === 0) readers.push(readerOf(set));
    }
    for (const [added, reader] of readers.entries()) {
      expect(reader.has(0, 0)).toBe(true);
      expect(reader.has(added * 80, 0)).toBe(true);
      expect(reader.has(3, 3)).toBe(false);
    }
  });
});
