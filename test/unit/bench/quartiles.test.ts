import fc from "fast-check";
import { expect, it } from "vitest";
import { quartiles } from "../../../bench/support/quartiles.ts";

it("interpolates between two values of the sorted sample", () => {
  expect(quartiles([4, 1, 3, 2])).toEqual({ min: 1, q1: 1.75, median: 2.5, q3: 3.25, max: 4 });
  expect(quartiles([7])).toEqual({ min: 7, q1: 7, median: 7, q3: 7, max: 7 });
});

it("takes what is missing for more than any value", () => {
  expect(quartiles([null, 1, 2, 3])).toEqual({ min: 1, q1: 1.75, median: 2.5, q3: null, max: null });
  expect(quartiles([null, null, 5])).toEqual({ min: 5, q1: null, median: null, q3: null, max: null });
  expect(quartiles([null])).toEqual({ min: null, q1: null, median: null, q3: null, max: null });
  expect(quartiles([1, 2, null])).toMatchObject({ median: 2, q3: null });
});

it("has its numbers in order, within the sample", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(1e6)), { minLength: 1 }), (values) => {
      const { min, q1, median, q3, max } = quartiles(values);
      const five = [min, q1, median, q3, max].map((value) => value ?? Infinity);
      expect(five).toEqual(five.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
      const known = values.map((value) => value ?? Infinity);
      expect([five[0], five[4]]).toEqual([Math.min(...known), Math.max(...known)]);
    }),
  );
});
