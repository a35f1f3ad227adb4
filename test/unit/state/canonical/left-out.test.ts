import { expect, test } from "vitest";
import { apart } from "../../../../src/state/index.ts";

test("rows that differ only in the sign of 0 are not equal", () => {
  expect(apart([[1, -0]], [[1, 0]])).toEqual([[[1, -0]], [[1, 0]]]);
  expect(apart([[1, -0]], [[1, -0]])).toEqual([[], []]);
});
