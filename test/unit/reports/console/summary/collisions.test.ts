import { expect, it } from "vitest";
import { collisionText, isWorthTelling } from "../../../../../src/reports/console/summary/collisions.ts";

const of = (statesVisited: number, collisions = 0) => ({
  statesVisited,
  collisions,
  collisionProbability: (statesVisited * (statesVisited - 1)) / 2 ** 65,
});

it("says nothing of a probability that nobody has to think of", () => {
  expect([isWorthTelling(of(500_000)), isWorthTelling(of(10_000_000)), isWorthTelling(of(10, 1))]).toEqual([false, true, true]);
});

it("says how probable it is that states were taken for one, and whether any were", () => {
  expect(collisionText(of(10_000_000))).toBe(
    "none seen; the probability that two of 10,000,000 states were mistaken for each other is at most 2.7e-6",
  );
  expect(collisionText(of(10_000, 1))).toBe(
    "1 step reached a state that seqqa mistook for another state of 10,000 states, so later states are missing",
  );
});
