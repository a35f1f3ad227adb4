import { describe, expect, it } from "vitest";
import { CLEAN, EXPANDED, UNCERTAIN, NodeTable, OPENED } from "../../../../src/engine/graph/node-table.ts";

describe("NodeTable", () => {
  it("reads a path back by walking parents, beyond its first size", () => {
    const nodes = new NodeTable();
    nodes.add(-1, -1, 0);
    for (let node = 1; node < 5000; node++) expect(nodes.add(node - 1, node % 7, node)).toBe(node);
    expect(nodes.size).toBe(5000);
    expect(nodes.path(0)).toEqual([]);
    expect(nodes.path(4)).toEqual([1, 2, 3, 4]);
    expect(nodes.path(4999)).toHaveLength(4999);
    expect(nodes.path(4999).at(-1)).toBe(4999 % 7);
  });

  it("gives a node another way from the root", () => {
    const nodes = new NodeTable();
    nodes.add(-1, -1, 0);
    nodes.add(0, 1, 1);
    nodes.add(1, 2, 2);
    nodes.move(2, 0, 5, 1);
    expect(nodes.path(2)).toEqual([5]);
    expect([nodes.parent(2), nodes.action(2), nodes.depth(2)]).toEqual([0, 5, 1]);
  });

  it("keeps flags apart, per node", () => {
    const nodes = new NodeTable();
    nodes.add(-1, -1, 0);
    nodes.add(0, 0, 1);
    nodes.flag(1, CLEAN);
    nodes.flag(1, UNCERTAIN);
    expect([OPENED, EXPANDED, CLEAN, UNCERTAIN].map((flag) => nodes.has(1, flag))).toEqual([false, false, true, true]);
    expect([OPENED, EXPANDED, CLEAN, UNCERTAIN].map((flag) => nodes.has(0, flag))).toEqual([false, false, false, false]);
  });

  it("says -1 for the root's parent and action, in its arrays too", () => {
    const nodes = new NodeTable();
    nodes.add(-1, -1, 0);
    nodes.add(0, 3, 1);
    expect(nodes.action(0)).toBe(-1);
    expect([...nodes.parents()]).toEqual([-1, 0]);
    expect([...nodes.actions()]).toEqual([-1, 3]);
    expect([...nodes.depths()]).toEqual([0, 1]);
  });
});
