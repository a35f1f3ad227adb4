import fc from "fast-check";
import { expect, it } from "vitest";
import { NodeSet } from "../../../../src/engine/graph/node-set.ts";

it("is a Set of its nodes, in ascending order", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(200)), (nodes) => {
      const set = new NodeSet(201);
      for (const node of nodes) set.add(node);
      const expected = new Set(nodes);
      expect(set.size).toBe(expected.size);
      expect([...set]).toEqual([...expected].toSorted((a, b) => a - b));
      for (let node = 0; node <= 200; node++) expect(set.has(node)).toBe(expected.has(node));
    }),
  );
});

it("is empty where there are no nodes", () => {
  expect([...new NodeSet(0)]).toEqual([]);
});
