import { describe, expect, it } from "vitest";
import { mergeV8, type CoveredFunction } from "../../../../src/run/coverage/code/merge-v8.ts";

type Triple = readonly [start: number, end: number, count: number];

function covered(...ranges: readonly Triple[]): CoveredFunction {
  return {
    functionName: "answer",
    isBlockCoverage: ranges.length > 1,
    ranges: ranges.map(([startOffset, endOffset, count]) => ({ startOffset, endOffset, count })),
  };
}

function merged(...processes: readonly CoveredFunction[]): readonly Triple[] {
  const [one] = mergeV8(processes.map((process) => [process]));
  return one!.ranges.map(({ startOffset, endOffset, count }) => [startOffset, endOffset, count]);
}

describe("mergeV8", () => {
  it("counts a block that a process left out like the code around it", () => {
    expect(merged(covered([0, 100, 3], [20, 40, 0]), covered([0, 100, 2], [20, 40, 1]))).toEqual([
      [0, 100, 5],
      [20, 40, 1],
    ]);
    // The second process was always in the block.
    expect(merged(covered([0, 100, 3], [20, 40, 0]), covered([0, 100, 2]))).toEqual([
      [0, 100, 5],
      [20, 40, 2],
    ]);
  });

  it("cuts ranges that V8 joined, where another process has their parts", () => {
    // if (a) [20, 40]; else [40, 60]; the rest [60, 99]
    const first = covered([0, 100, 4], [20, 60, 1], [60, 99, 3]);
    const second = covered([0, 100, 5], [20, 40, 3], [40, 99, 2]);
    expect(merged(first, second)).toEqual([
      [0, 100, 9],
      [20, 40, 4],
      [40, 60, 3],
      [60, 99, 5],
    ]);
  });

  it("leaves out what V8 would have left out in one process", () => {
    expect(merged(covered([0, 100, 2], [20, 40, 0], [50, 90, 1], [60, 70, 0]), covered([0, 100, 1], [50, 90, 0]))).toEqual([
      [0, 100, 3],
      [20, 40, 1],
      [50, 90, 1],
      [60, 70, 0],
    ]);
    expect(merged(covered([0, 100, 2], [20, 40, 1], [40, 60, 0]), covered([0, 100, 1], [20, 40, 0]))).toEqual([
      [0, 100, 3],
      [20, 60, 1],
    ]);
  });

  it("counts a function that only one process called, and puts outer functions first", () => {
    const outer = { ...covered([0, 200, 1]), functionName: "" };
    const functions = mergeV8([[covered([50, 90, 0]), outer], [covered([50, 90, 2], [60, 70, 0])]]);
    expect(functions.map(({ ranges, isBlockCoverage }) => [ranges.map(({ count }) => count), isBlockCoverage])).toEqual([
      [[1], false],
      [[2, 0], true],
    ]);
  });

  it("gives the same result in every grouping and order", () => {
    const all = [
      covered([0, 100, 4], [20, 60, 1], [60, 99, 3]),
      covered([0, 100, 5], [20, 40, 3], [40, 99, 2]),
      covered([0, 100, 3], [20, 40, 1], [40, 60, 2], [60, 99, 1]),
    ];
    const whole = merged(...all);
    expect(merged(...all.toReversed())).toEqual(whole);
    expect(merged(mergeV8([[all[0]!], [all[2]!]])[0]!, all[1]!)).toEqual(whole);
  });
});
