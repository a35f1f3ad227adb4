import { describe, expect, it } from "vitest";
import { shareInterval } from "../../../../src/races/plan/rate.ts";

describe("the interval of a rate", () => {
  // Tables of Wilson's interval, e.g. Newcombe (1998), Statistics in Medicine 17, table I: 81/263, 15/148, 0/20, 1/29.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("%d of %d: %f to %f", (hits, trials, low, high) => {
    const interval = shareInterval(hits, trials);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  it("knows nothing without trials", () => {
    expect(shareInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });
});
