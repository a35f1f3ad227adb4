import { expect, it } from "vitest";
import type { StopReason } from "../../../../src/model/results/result.ts";
import { endedByTime, restartsNote } from "../../../../src/run/explore/search.ts";

it("says that restarts used up the time, if they used at least half of it and the time was over", () => {
  const used = { restarts: 2, usedMs: 150_000, maxTimeMs: 180_000 };
  expect(restartsNote("max_time", used)).toBe(
    "seqqa restarted the search 2 times to learn values, which used 2 min 30 s of the 3 min 0 s of max_time. The last search therefore ended early. To complete it, raise max_time.",
  );
  expect(restartsNote("max_time", { ...used, restarts: 0 })).toBeUndefined();
  expect(restartsNote("max_time", { ...used, usedMs: 80_000 })).toBeUndefined();
  expect(restartsNote("max_time", { ...used, maxTimeMs: undefined })).toBeUndefined();
  expect(restartsNote("max_steps", used)).toBeUndefined();
});

it("a search that ended itself to learn, and had no time to learn, was not interrupted", () => {
  const reasonAfter = (signal: AbortSignal): StopReason | undefined => {
    const explorer = { stopReason: "interrupted" as StopReason | undefined, fatal: undefined };
    endedByTime(explorer, signal);
    return explorer.stopReason;
  };
  expect([reasonAfter(new AbortController().signal), reasonAfter(AbortSignal.abort())]).toEqual(["max_time", "interrupted"]);
});
