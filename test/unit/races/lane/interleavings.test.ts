import { describe, expect, it } from "vitest";
import { interleavings } from "../../../../src/races/lane/interleavings.ts";

const shown = (requests: readonly number[], isEqual: boolean, most = 100): readonly string[] | undefined =>
  interleavings(requests, isEqual, most)?.map((turns) => turns.join(""));

describe("orders of single requests between the orders of calls", () => {
  it("are all but those in which each side sends its requests in one go", () => {
    expect(shown([2, 1], false)).toEqual(["010"]);
    expect(shown([2, 2], false)).toEqual(["0101", "0110", "1001", "1010"]);
    expect(shown([1, 1], false)).toEqual([]);
    // 6! / (3! 3!) - 2
    expect(shown([3, 3], false)).toHaveLength(18);
  });

  it("of equal sides, those with the first one first", () => {
    expect(shown([2, 2], true)).toEqual(["0101", "0110"]);
    // 6! / (2! 2! 2!) = 90 in all, a sixth of them with the sides in their order, one of which is no interleaving
    expect(shown([2, 2, 2], true)).toHaveLength(14);
  });

  it("are not told where there are too many", () => {
    expect(shown([3, 3], false, 18)).toHaveLength(18);
    expect(shown([3, 3], false, 17)).toBeUndefined();
  });
});
