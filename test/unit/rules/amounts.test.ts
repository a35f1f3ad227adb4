import { expect, it } from "vitest";
import { isRoundingError, isSameTotal, shownTotal, totalOf } from "../../../src/rules/rows/amounts.ts";

it.each([
  [["0.30000001", 1, "-2.50"], "-1.19999999", true],
  [["9007199254740993", null, "1"], "9007199254740994", true],
  [["1.50", "-1.5"], "0", true],
  [["-0.05", 0], "-0.05", true],
  [[], "0", true],
  [["0.1", 0.2], "0.30000000000000004", false],
])("the total of %j is %s", (values, text, isExact) => {
  expect(totalOf(values)).toEqual({ text, isExact });
});

it("exact totals are equal only if they are the same number, other totals up to a rounding error", () => {
  expect(isSameTotal(totalOf(["0.30000001"]), totalOf(["0.3"]))).toBe(false);
  expect(isSameTotal(totalOf([0.1, 0.2]), totalOf(["0.30"]))).toBe(true);
  expect(["0.50", "9007199254740993"].map((text) => shownTotal(totalOf([text])))).toEqual([0.5, "9007199254740993"]);
});

it("an excess is a rounding error only between floating-point numbers", () => {
  expect(isRoundingError(0.1 + 0.2, 0.3)).toBe(true);
  expect(isRoundingError(0.31, 0.3)).toBe(false);
  expect(isRoundingError("0.30000001", "0.30000000")).toBe(false);
  expect(isRoundingError(2 ** 53, 2 ** 53)).toBe(false);
});
