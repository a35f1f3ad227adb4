import { describe, expect, it } from "vitest";
import { DerivedTimes, type Execution, type Knowledge } from "../../../../src/state/index.ts";
import { stored, table } from "../support.ts";

const DAY = 86_400_000;
const START = Date.UTC(2025, 10, 21, 12) + 300;
const secondOf = (ms: number): number => Math.floor(ms / 1_000);

const place = (column: string, offsets: readonly number[]): Knowledge["times"][number] => ({
  place: JSON.stringify(["tables", "db", "orders", column]),
  after: "",
  resolutionMs: 1_000,
  base: "step",
  offsets,
});

/** Two steps: an order that is due in 30 days, and its renewal `ageMs` later, which sets when it is due. */
function path(ageMs: number, renewed: (dueMs: number, nowMs: number) => number): readonly Execution[] {
  const state = (due: number, nowMs: number): Execution => ({
    facts: stored(table("orders", "*id due", [[1, due]])),
    window: { startMs: nowMs - 2, endMs: nowMs + 2 },
  });
  const due = secondOf(START + 30 * DAY);
  return [state(due, START), state(secondOf(renewed(due * 1_000, START + ageMs)), START + ageMs)];
}

describe("a time in whole seconds that a step wrote soon after a stored time", () => {
  it.each([
    ["it plus a duration", (due: number) => due + 30 * DAY, [{ base: "stored", offsets: [] }]],
    ["the step plus a duration", (_due: number, now: number) => now + 60 * DAY, [{ base: "step", offsets: [60 * DAY] }]],
  ])("is %s, if a pause shows this", (_what, renewed, expected) => {
    const derived = new DerivedTimes(path(40, renewed), [], [place("due", [30 * DAY])]);
    expect([...derived.stops]).toEqual([1]);
    expect(derived.settled(path(1_140, renewed))).toMatchObject(expected);
    // An execution that ended before the pause shows nothing.
    expect(derived.settled(path(1_140, renewed).slice(0, 1))).toEqual([]);
  });

  it("does not keep an offset from its step that a pause refutes, unless another step shows this offset", () => {
    const renewed = (due: number): number => due + 30 * DAY;
    const settled = (offset: number) =>
      new DerivedTimes(path(40, renewed), [place("due", [offset])], []).settled(path(1_140, renewed))[0]!.offsets;
    expect(settled(60 * DAY)).toEqual([]);
    expect(settled(30 * DAY)).toEqual([30 * DAY]);
  });

  it("needs no pause if its base is known, or if it is at no simple distance", () => {
    const stops = (renewed: (due: number, now: number) => number, time = place("due", [30 * DAY])): number =>
      new DerivedTimes(path(40, renewed), [], [time]).stops.size;
    expect(stops((due) => due + 30 * DAY, { ...place("due", []), base: "stored" })).toBe(0);
    expect(stops((_due, now) => now + 60 * DAY, place("due", [30 * DAY, 60 * DAY]))).toBe(0);
    expect(stops((_due, now) => now + 7_000)).toBe(0);
    expect(stops((_due, now) => now)).toBe(0);
  });
});
