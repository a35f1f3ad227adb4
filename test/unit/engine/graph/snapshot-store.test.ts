import { describe, expect, it } from "vitest";
import { SnapshotStore } from "../../../../src/engine/graph/snapshot-store.ts";
import { size } from "../../../sizes.ts";
import { MemorySpill } from "../../../support/memory-spill.ts";

const imageOf = (node: number): object => ({
  systems: [{ n: node, list: [node, node + 1] }],
  context: { entries: new Map([["key", node]]) },
});
const MOST = 50_000;

function filled(shelf: SnapshotStore, count: number): SnapshotStore {
  for (let node = 0; node < count; node++) shelf.put(node, imageOf(node));
  return shelf;
}

describe("ImageShelf", () => {
  it("gives back what was put, and nothing that was deleted or never put", () => {
    const shelf = filled(new SnapshotStore(), 10);
    shelf.delete(3);
    shelf.delete(99);
    expect([shelf.get(2), shelf.get(3), shelf.get(50)]).toEqual([imageOf(2), undefined, undefined]);
  });

  it("with a spill keeps its bound in memory and gives back all in the order of a queue", () => {
    const spill = new MemorySpill();
    const shelf = filled(new SnapshotStore(spill, MOST), 20_000);
    const inMemory = shelf.inMemory;
    expect(inMemory).toBeLessThan(2_000);
    expect(spill.pieces.size).toBeGreaterThan(10);
    for (let node = 0; node < 20_000; node++) {
      if (node % 997 === 0) expect(shelf.get(node)).toEqual(imageOf(node));
      else expect(shelf.get(node)).toBeDefined();
      shelf.delete(node);
    }
    // A batch is read once, and given back when all of it is done.
    expect(spill.reads).toBeLessThan(30);
    expect([spill.pieces.size, shelf.inMemory]).toEqual([0, 0]);
  });

  it("goes on while a queue is emptied in front and filled behind", () => {
    const spill = new MemorySpill();
    const shelf = new SnapshotStore(spill, MOST);
    const half = size(10_000, 30_000);
    let head = 0;
    let most = 0;
    for (let node = 0; node < 2 * half; node++) {
      shelf.put(node, imageOf(node));
      if (node < half || node % 3 === 0) continue;
      expect(shelf.get(head)).toEqual(imageOf(head));
      shelf.delete(head++);
      most = Math.max(most, shelf.inMemory);
    }
    expect(most).toBeLessThan(5_000);
  });

  it("several readers at places of their own do not read a batch for each state", () => {
    const spill = new MemorySpill();
    const shelf = filled(new SnapshotStore(spill, MOST), 20_000);
    for (let at = 0; at < 2_000; at++) for (let lane = 0; lane < 8; lane++) expect(shelf.get(lane * 2_000 + at + 1_000)).toBeDefined();
    expect(spill.reads).toBeLessThan(40);
  });

  it("without a spill forgets what is beyond its bound", () => {
    const shelf = filled(new SnapshotStore(undefined, MOST), 20_000);
    expect([shelf.get(0), shelf.get(19_999)]).toEqual([imageOf(0), undefined]);
    expect(shelf.inMemory).toBeLessThan(1_000);
    shelf.delete(19_999);
  });

  it("forgets what cannot be written, for want of room or as it is no plain data", () => {
    const spill = new MemorySpill();
    spill.full = true;
    const shelf = filled(new SnapshotStore(spill, MOST), 5_000);
    expect([shelf.get(0), shelf.get(1_500)]).toEqual([imageOf(0), undefined]);
    const functions = new SnapshotStore(new MemorySpill(), MOST);
    for (let node = 0; node < 5_000; node++) functions.put(node, () => node);
    expect([typeof functions.get(0), functions.get(1_500)]).toEqual(["function", undefined]);
  });

  it("takes a batch that cannot be read again for forgotten", () => {
    const spill = new MemorySpill();
    const shelf = filled(new SnapshotStore(spill, MOST), 5_000);
    for (const [place, bytes] of spill.pieces) spill.pieces.set(place, bytes.fill(1));
    expect([shelf.get(0), shelf.get(1_500)]).toEqual([imageOf(0), undefined]);
  });

  it("gives back all room when it is cleared, and can be filled again", () => {
    const spill = new MemorySpill();
    const shelf = filled(new SnapshotStore(spill, MOST), 5_000);
    shelf.clear();
    expect([spill.pieces.size, shelf.inMemory, shelf.get(0), shelf.get(1_500)]).toEqual([0, 0, undefined, undefined]);
    filled(shelf, 5_000);
    expect([shelf.get(0), shelf.get(1_500)]).toEqual([imageOf(0), imageOf(1_500)]);
  });

  it("measures encoded states by their length", () => {
    const shelf = new SnapshotStore(undefined, MOST);
    for (let node = 0; node < 1_000; node++) shelf.put(node, "x".repeat(1_000));
    expect(shelf.inMemory).toBeGreaterThan(40);
    expect(shelf.inMemory).toBeLessThan(60);
  });
});
