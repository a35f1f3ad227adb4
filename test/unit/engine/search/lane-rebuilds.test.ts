import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DivergenceLog } from "../../../../src/engine/commit/divergence-log.ts";
import type { LanePool } from "../../../../src/engine/lane-pool.ts";
import { LaneRebuilds } from "../../../../src/engine/search/lane-rebuilds.ts";
import type { LaneReport } from "../../../../src/messages/lane-messages.ts";

const ROOT = { wholeLo: 1, wholeHi: 2, rootLo: 3, rootHi: 4, rootLines: ["a: 1"], findings: [], errors: [] } as unknown as LaneReport;

function rebuilds(answers: readonly (LaneReport | Error)[], abandoned = (): boolean => false) {
  const divergences = new DivergenceLog([]);
  const rebuild = vi.fn<(lane: number) => Promise<LaneReport>>();
  for (const answer of answers) {
    if (answer instanceof Error) rebuild.mockRejectedValueOnce(answer);
    else rebuild.mockResolvedValueOnce(answer);
  }
  const lanes = new LaneRebuilds({ lanePool: { rebuild } as unknown as LanePool, divergences, abandoned });
  lanes.root = ROOT;
  return { lanes, rebuild, divergences };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("LaneRebuilds", () => {
  it("builds a lane once for all chunks that it took with it", async () => {
    const { lanes, rebuild } = rebuilds([ROOT]);
    const begun = vi.fn();
    const both = [lanes.rebuild(0, begun), lanes.rebuild(0, begun)];
    expect([lanes.has(0), lanes.has(1)]).toEqual([true, false]);
    await Promise.all(both);
    expect([rebuild.mock.calls, begun.mock.calls.length, lanes.has(0)]).toEqual([[[0, "build"]], 1, false]);
  });

  it("tries three times, with pauses, and says then why not", async () => {
    const { lanes, rebuild } = rebuilds([new Error("one"), new Error("two"), new Error("three")]);
    const failed = expect(lanes.rebuild(0, () => undefined)).rejects.toThrow("three");
    await vi.advanceTimersByTimeAsync(249);
    expect(rebuild).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(rebuild).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(4000);
    await failed;
    // A standby lane may be the reason why the first try failed.
    expect(rebuild.mock.calls).toEqual([
      [0, "build"],
      [0, undefined],
      [0, undefined],
    ]);
    expect(lanes.has(0)).toBe(false);
  });

  it("does not try again when nobody needs lanes any more", async () => {
    const { lanes, rebuild } = rebuilds([new Error("gone")], () => true);
    await expect(lanes.rebuild(0, () => undefined)).rejects.toThrow("gone");
    expect(rebuild).toHaveBeenCalledTimes(1);
  });

  it("refuses a lane that begins elsewhere, and says what differs", async () => {
    const { lanes, divergences } = rebuilds([{ ...ROOT, rootLo: 9, rootLines: ["a: 2"] }], () => true);
    await expect(lanes.rebuild(2, () => undefined)).rejects.toMatchObject({
      code: "ROOTS_DIFFER",
      message: expect.stringContaining("lane 2"),
    });
    expect(divergences.all).toMatchObject([{ kind: "root", differences: [expect.any(String), expect.any(String)] }]);
  });
});
