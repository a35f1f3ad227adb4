import { expect, it } from "vitest";
import { slowTargetNotes } from "../../../../src/run/results/slow-target-notes.ts";

it("names the actions for which lanes waited, if they waited long in total", () => {
  const waits = (ms: number): readonly string[] =>
    slowTargetNotes({
      twoPackets: false,
      waitedMs: new Map([
        ["log_in", ms],
        ["forgot", 100],
      ]),
    });
  expect(waits(5_000)).toEqual([]);
  expect(waits(65_100)).toEqual([
    expect.stringMatching(/^The lanes waited 1 min 5 s in total, because forgot, log_in returned the same token when called twice/),
  ]);
});
