import { describe, expect, it } from "vitest";
import { conflict, contextChanges, mergedContext } from "../../../../src/races/lane/merge-contexts.ts";
import type { SavedContext } from "../../../../src/model/context/context.ts";

const before: SavedContext = {
  entries: new Map<string, unknown>([
    ["user", "ann"],
    ["cart", [1]],
  ]),
  objects: 1,
  node: "start",
};
const after = (entries: Record<string, unknown>) => contextChanges(before, new Map(Object.entries(entries)));

describe("contexts of the sides of a race", () => {
  it("are merged in the order of the calls", () => {
    const a = after({ user: "ann", cart: [1, 2], token: "x" });
    const b = after({ cart: [1, 3] });
    expect(mergedContext(before, [a, b], "end")).toEqual({
      entries: new Map<string, unknown>([
        ["cart", [1, 3]],
        ["token", "x"],
      ]),
      objects: 1,
      node: "end",
    });
    expect(mergedContext(before, [b, a], undefined).entries.get("cart")).toEqual([1, 2]);
  });

  it("conflict only where both changed one key, and not to the same value", () => {
    expect(conflict(after({ user: "ann", cart: [2] }), after({ user: "bob", cart: [1] }))).toBe(false);
    expect(conflict(after({ user: "ann", cart: [2] }), after({ user: "ann", cart: [2] }))).toBe(false);
    expect(conflict(after({ user: "ann", cart: [2] }), after({ user: "ann", cart: [3] }))).toBe(true);
    expect(conflict(after({ user: "ann" }), after({ user: "ann", cart: [3] }))).toBe(true);
  });
});
