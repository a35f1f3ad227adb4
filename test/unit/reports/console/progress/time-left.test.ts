import { expect, it } from "vitest";
import { TimeLeft } from "../../../../../src/reports/console/progress/time-left.ts";

it("is the rate of a phase so far, from three seconds on", () => {
  let now = 0;
  const left = new TimeLeft(() => now);
  expect(left.of("racing", { done: 0, all: 100 })).toBeUndefined();
  now = 2999;
  expect(left.of("racing", { done: 10, all: 100 })).toBeUndefined();
  now = 5000;
  expect(left.of("racing", { done: 10, all: 100 })).toBe(45_000);
  expect(left.of("faulting", { done: 3, all: 4 })).toBeUndefined();
});

it("neither doubles nor halves at once, and ends with its phase", () => {
  let now = 0;
  const left = new TimeLeft(() => now);
  left.of("racing", { done: 0, all: 100 });
  now = 10_000;
  expect(left.of("racing", { done: 50, all: 100 })).toBe(10_000);
  // Nothing was done for as long again: the rate is a half, and 0 ms were expected.
  now = 20_000;
  expect(left.of("racing", { done: 51, all: 100 })).toBe(1000);
  now = 20_200;
  expect(left.of("racing", { done: 51, all: 100 })).toBe(1600);
  now = 21_000;
  expect(left.of("racing", { done: 100, all: 100 })).toBe(0);
});
