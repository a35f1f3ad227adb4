import { describe, expect, it } from "vitest";
import type { ActionCoverage, StopReason } from "../../../../src/model/results/result.ts";
import { beyondSight, unseenChanges, unseenWrites, withoutUnseen } from "../../../../src/run/results/unseen-writes.ts";

const action = (more: Partial<ActionCoverage> = {}): ActionCoverage => ({ applied: 5, skipped: 0, statuses: { 200: 5 }, ...more });

const after = (stopReason: StopReason, statesVisited = 7) => ({ stopReason, statesVisited });

describe("writes that change nothing visible", () => {
  it("are an exception with a remedy from the third on", () => {
    const coverage = { create: action(), done: action({ unseenWrites: 3 }), open: action({ unseenWrites: 2 }) };
    expect(unseenChanges(coverage, after("exhausted"))).toEqual([
      { kind: "invisible_state", count: 1, text: "changes made by done (3 x 2xx, nothing visible)" },
    ]);
    expect(unseenWrites(coverage, after("max_depth"))).toEqual([
      expect.stringMatching(/^3 writes of done got a 2xx answer.*changesNothing: true/),
    ]);
  });

  it("may be answered with a redirect", () => {
    const done = action({ unseenWrites: 3, statuses: { 303: 3 } });
    expect(unseenChanges({ done }, after("exhausted"))).toMatchObject([{ text: "changes made by done (3 x 3xx, nothing visible)" }]);
    const both = action({ unseenWrites: 3, statuses: { 200: 1, 303: 2, 404: 1 } });
    expect(unseenWrites({ both }, after("exhausted"))[0]).toMatch(/^3 writes of both got a 2xx or 3xx answer/);
  });

  it("may change what is left out of the states, which is named", () => {
    expect(unseenWrites({ ship: action({ unseenWrites: 3 }) }, after("exhausted"), ["parcels.ms"])[0]).toContain(
      "changed nothing that seqqa can see, except in fields that are left out of the states (parcels.ms).",
    );
  });

  it("are an exception from the first on if the search found no state but the root state", () => {
    const coverage = { up: action({ unseenWrites: 1 }) };
    expect(unseenChanges(coverage, after("exhausted", 1))).toMatchObject([{ text: "changes made by up (1 x 2xx, nothing visible)" }]);
    expect(unseenChanges(coverage, after("max_steps", 1))).toEqual([]);
    expect(unseenChanges(coverage, after("exhausted", 2))).toEqual([]);
  });

  it("are none of actions that say so, of rules, and of a search that was cut short", () => {
    const done = action({ unseenWrites: 9 });
    expect(unseenChanges({ done: { ...done, changesNothing: true } }, after("exhausted"))).toEqual([]);
    expect(unseenChanges({ done: { ...done, brought: true } }, after("exhausted"))).toEqual([]);
    expect(unseenChanges({ done }, after("interrupted"))).toEqual([]);
    expect(unseenChanges(withoutUnseen({ done }), after("exhausted"))).toEqual([]);
  });
});

describe("what shows the state", () => {
  it("is an exception where it may not show all of it", () => {
    expect([beyondSight("stores"), beyondSight("probe"), beyondSight(undefined)]).toEqual([[], [], []]);
    expect(beyondSight("nothing")[0]?.text).toMatch(/^state not visible/);
    expect(beyondSight("context")[0]?.text).toBe("what stateFromContext does not name");
  });
});
