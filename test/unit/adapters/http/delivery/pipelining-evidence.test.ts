import { describe, expect, it } from "vitest";
import { PipeliningEvidence } from "../../../../../src/adapters/http/delivery/pipelining-evidence.ts";

/** Trials of two requests that take so long alone, on a way of 0.3 ms; their answers come after so long. */
function told(trials: number, alone: readonly [number, number], answered: readonly [number, number]): boolean | undefined {
  const evidence = new PipeliningEvidence();
  evidence.alone([0.3]);
  for (let trial = 0; trial < trials; trial++) {
    evidence.alone(alone);
    evidence.trial(
      alone,
      answered.map((after) => ({ from: 100 * trial, to: 100 * trial + after })),
    );
  }
  return evidence.concurrent;
}

describe("whether pipelined requests are begun before the one before them is answered", () => {
  it("is known after some trials", () => {
    expect(told(3, [5, 5], [5, 5.1])).toBeUndefined();
    expect(told(4, [5, 5], [5, 5.1])).toBe(true);
    expect(told(4, [5, 5], [5, 9.7])).toBe(false);
  });

  it("is told by the time from the one answer to the next", () => {
    // The last one is done long before the first, whose answer goes out before its own.
    expect(told(4, [20, 5], [20, 20.1])).toBe(true);
    expect(told(4, [20, 5], [20, 24.7])).toBe(false);
    // It takes longer than the first; begun together, it comes so much later as it is slower.
    expect(told(4, [5, 8], [5, 8])).toBe(true);
    expect(told(4, [5, 8], [5, 12.7])).toBe(false);
  });

  it("is not told by requests that take no longer than the way, by those without an answer, and by those released apart", () => {
    expect(told(50, [0.5, 0.6], [0.5, 0.6])).toBeUndefined();
    const evidence = new PipeliningEvidence();
    evidence.alone([0.3]);
    for (let trial = 0; trial < 50; trial++) {
      evidence.trial([5, 5], [undefined, { from: 0, to: 5 }]);
      evidence.trial(
        [5, 5],
        [
          { from: 0, to: 5 },
          { from: 50, to: 55 },
        ],
      );
    }
    expect(evidence.concurrent).toBeUndefined();
  });
});
