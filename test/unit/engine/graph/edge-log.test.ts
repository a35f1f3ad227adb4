import { describe, expect, it } from "vitest";
import { EdgeLog } from "../../../../src/engine/graph/edge-log.ts";
import { MemorySpill } from "../../../support/memory-spill.ts";

it("keeps every edge in the order of its commit, beyond its first size", () => {
  const log = new EdgeLog();
  const count = 10_000;
  for (let edge = 0; edge < count; edge++)
    log.add(edge, edge % 300, edge % 5 === 0 ? -1 : edge + 1, 200 + (edge % 400), true, edge % 3 === 0);
  expect(log.size).toBe(count);
  const columns = [log.from(), log.to(), log.actions(), log.statuses(), log.found()];
  for (const column of columns) expect(column).toHaveLength(count);
  for (const edge of [0, 1, 4095, 4096, 9999]) {
    expect(columns.map((column) => column[edge])).toEqual([
      edge,
      edge % 5 === 0 ? -1 : edge + 1,
      edge % 300,
      200 + (edge % 400),
      edge % 3 === 0 ? 1 : 0,
    ]);
  }
});

it("gives copies that later edges leave as they are", () => {
  const log = new EdgeLog();
  log.add(0, 0, 1, 200, true);
  const before = log.to();
  log.add(1, 0, 2, 200, true);
  expect([...before]).toEqual([1]);
});

describe("with a spill", () => {
  const count = 20 * 65_536 + 100;
  const edgeOf = (edge: number): readonly [number, number, number, number, boolean, boolean] => [
    edge >> 3,
    edge % 300,
    edge % 5 === 0 ? -1 : edge + 1,
    200 + (edge % 400),
    edge % 3 === 0,
    edge % 7 === 0,
  ];

  function filled(spill: MemorySpill | undefined): EdgeLog {
    const log = new EdgeLog(spill);
    for (let edge = 0; edge < count; edge++) log.add(...edgeOf(edge));
    return log;
  }

  it("keeps a million edges and the last ones in memory, and reads the others again", () => {
    const spill = new MemorySpill();
    const log = filled(spill);
    expect(spill.pieces.size).toBe(4);
    expect(log.bytes).toBe(17 * 65_536 * 13);
    let wrong = 0;
    log.each((from, action, to, clean, edge) => {
      const [f, a, t, , c] = edgeOf(edge);
      if (from !== f || action !== a || to !== t || clean !== c) wrong++;
    });
    expect(wrong).toBe(0);
    // A block is read once for all of its edges.
    expect(spill.reads).toBe(4);
    for (const edge of [0, 1, 17 * 65_536, 19 * 65_536 + 5, 17 * 65_536 + 1, count - 1]) {
      const [from, action, to, status, clean, found] = edgeOf(edge);
      expect(log.at(edge)).toEqual({ from, action, to, status, clean, found });
    }
    expect(log.bytes).toBe(18 * 65_536 * 13);
  });

  it("gives the columns that it gives without one", () => {
    const [log, plain] = [filled(new MemorySpill()), filled(undefined)];
    for (const column of ["from", "to", "actions", "statuses", "found"] as const) {
      const [a, b] = [log[column](), plain[column]()];
      expect(a.length).toBe(count);
      expect(Buffer.compare(Buffer.from(a.buffer), Buffer.from(b.buffer))).toBe(0);
    }
  });

  it("keeps in memory what cannot be written, and writes again once it can be", () => {
    const spill = new MemorySpill();
    const log = new EdgeLog(spill);
    for (let edge = 0; edge < count; edge++) {
      spill.full = edge > 17 * 65_536 + 1 && edge < 19 * 65_536;
      log.add(...edgeOf(edge));
    }
    expect(spill.pieces.size).toBe(3);
    let wrong = 0;
    log.each((from, action, to, _clean, edge) => {
      if (from !== edgeOf(edge)[0] || action !== edgeOf(edge)[1] || to !== edgeOf(edge)[2]) wrong++;
    });
    expect(wrong).toBe(0);
  });
});
