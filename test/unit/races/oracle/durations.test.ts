import { describe, expect, it } from "vitest";
import { areDurations, orderless, type Sample } from "../../../../src/races/oracle/durations.ts";
import { call, facts, ordered } from "./executions.ts";

const samples = (...pairs: readonly (readonly [number, number])[]): readonly Sample[] =>
  pairs.map(([value, tookMs]) => ({ value, tookMs }));

describe("numbers that are longer when calls meet", () => {
  it.each([
    ["took", samples([5, 6.1], [5, 5.9]), samples([9, 10.2], [12, 12.4])],
    ["elapsed#0", samples([0, 0.4]), samples([1, 1.2])],
    ["seconds", samples([0.005, 6.1]), samples([0.009, 10.2])],
    ["durationUs", samples([5000, 6]), samples([9000, 10])],
    ["t", samples([5, 6.1]), samples([9, 10.2], [12, 12.4], [11, 13])],
  ])("are durations: %s", (name, alone, met) => {
    expect(areDurations(`answer a.${name}`, alone, met)).toBe(true);
  });

  it.each([
    ["longer than its call", "t", samples([5, 6]), samples([90, 10], [91, 10], [92, 10])],
    ["shorter than alone", "took", samples([100, 120]), samples([90, 110])],
    ["of two values, under any other name", "total", samples([5, 60]), samples([6, 70], [6, 65], [5, 61])],
    ["small, and no milliseconds", "left", samples([40, 2]), samples([41, 3], [42, 3], [43, 3])],
    ["negative", "took", samples([1, 5]), samples([-1, 5])],
    ["of no call that met another one", "took", samples([1, 5]), []],
  ])("are none where one is %s", (_why, name, alone, met) => {
    expect(areDurations(`answer a.${name}`, alone, met)).toBe(false);
  });
});

it("a number that depends on the order of the calls is none that may be left out", () => {
  const of = (first: object, second: object) => ordered([0, 1], [call("a", 200, first), call("a", 200, second)], facts({}));
  expect([...orderless([of({ took: 5, left: 2 }, { took: 5, left: 1 })])]).toEqual(["answer a.took"]);
  expect([...orderless([of({ took: 5, left: 2 }, { took: 6, left: 1 }), of({ took: 6, left: 2 }, { took: 5, left: 1 })])]).toEqual([
    "answer a.took",
  ]);
});
