import { describe, expect, it } from "vitest";
import { EdgeLog, type Edge } from "../../../../src/engine/graph/edge-log.ts";
import { MemorySpill } from "../../../support/memory-spill.ts";

it("keeps every edge in the order of its commit, beyond its first size", () => {
  const log = new EdgeLog();
  const count = 10_000;
  for (let edge = 0; edge < count; edge++)
    log.add({
      from: edge,
      action: edge % 300,
      to: edge % 5 === 0 ? -1 : edge + 1,
      status: 200 + (edge % 400),
      clean: true,
      found: edge % 3 === 0,
    });
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
  log.add({ from: 0, action: 0, to: 1, status: 200, clean: true, found: false });
  const before = log.to();
  log.add({ from: 1, action: 0, to: 2, status: 200, clean: true, found: false });
  expect([...before]).toEqual([1]);
});

describe("with a spill", () => {
  const count = 20 * 65_536 + 100;
  const edgeOf = (edge: number): Edge => ({
    from: edge >> 3,
    action: edge % 300,
    to: edge % 5 === 0 ? -1 : edge + 1,
    status: 200 + (edge % 400),
    clean: edge % 3 === 0,
    found: edge % 7 === 0,
  });

  function filled(spill: MemorySpill | undefined): EdgeLog {
    const log = new EdgeLog(spill);
    for (let edge = 0; edge < count; edge++) log.add(edgeOf(edge));
    return log;
  }

  it("keeps a million edges and the last ones in memory, and reads the others again", () => {
    const spill = new MemorySpill();
    const log = filled(spill);
    expect(spill.pieces.size).toBe(4);
    expect(log.bytes).toBe(17 * 65_536 * 13);
    let wrong = 0;
    log.each((from, action, to, clean, edge) => {
      const expected = edgeOf(edge);
      if (from !== expected.from || action !== expected.action || to !== expected.to || clean !== expected.clean) wrong++;
    });
    expect(wrong).toBe(0);
    // A block is read once for all of its edges.
    expect(spill.reads).toBe(4);
    for (const edge of [0, 1, 17 * 65_536, 19 * 65_536 + 5, 17 * 65_536 + 1, count - 1]) {
      expect(log.at(edge)).toEqual(edgeOf(edge));
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
      log.add(edgeOf(edge));
    }
    expect(spill.pieces.size).toBe(3);
    let wrong = 0;
    log.each((from, action, to, _clean, edge) => {
      const expected = edgeOf(edge);
      if (from !== expected.from || action !== expected.action || to !== expected.to) wrong++;
    });
    expect(wrong).toBe(0);
  });
});
