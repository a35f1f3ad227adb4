import { describe, expect, it } from "vitest";
import { ReorderBuffer } from "../../../../src/engine/search/reorder-buffer.ts";
import { DivergenceLog } from "../../../../src/engine/commit/divergence-log.ts";
import { BROKEN, FINDING, ROW, type LaneFailure, type LaneFailureKind } from "../../../../src/messages/lane-messages.ts";
import { NodeTable } from "../../../../src/engine/graph/node-table.ts";
import { unsettledOf } from "../../../../src/engine/search/unconfirmed-timeouts.ts";
import { UnitTries } from "../../../../src/engine/search/unit-tries.ts";
import { KNOWN } from "../../../../src/engine/search/node-work.ts";

function tries() {
  const nodes = new NodeTable();
  nodes.add(-1, -1, 0);
  nodes.add(0, 1, 1);
  const reorderBuffer = new ReorderBuffer(2, nodes);
  const divergences = new DivergenceLog(["a", "b"]);
  const work = reorderBuffer.of(1, 5, 6);
  return { reorderBuffer, divergences, work, units: new UnitTries(reorderBuffer, divergences), unit: { work, from: 0, to: 2 } };
}

const lost = (kind: LaneFailureKind, more: Partial<LaneFailure> = {}): LaneFailure => ({
  kind,
  unit: 0,
  action: 0,
  message: "it broke",
  ...more,
});

describe("UnitTries", () => {
  it("has the next try confirm what was seen, a target that is gone only the last", () => {
    const { units, unit } = tries();
    expect(units.suspected(unit)).toBeUndefined();
    units.count(unit, lost("timeout"));
    expect([units.suspected(unit), units.suspected({ ...unit, from: 1 })]).toEqual(["timeout", undefined]);
    units.count({ ...unit, from: 1 }, lost("unreachable"));
    expect(units.suspected({ ...unit, from: 1 })).toBeUndefined();
    units.count({ ...unit, from: 1 }, lost("unreachable"));
    expect(units.suspected({ ...unit, from: 1 })).toBe("unreachable");
  });

  it("believes at the second try that an action ends the target which did so in another state", () => {
    const { reorderBuffer, units, unit, work } = tries();
    for (let times = 0; times < 3; times++) units.count(unit, lost("unreachable"));
    const other = { work: reorderBuffer.of(0, 0, 0), from: 0, to: 2 };
    units.count(other, lost("unreachable"));
    // Not found yet, or found to be nothing.
    expect(units.suspected(other)).toBeUndefined();
    const rows = new Int32Array(ROW);
    rows.set([BROKEN | FINDING, 0, 0, 0, 0, 0]);
    work.learn(0, 1, rows, 0, 2);
    expect(units.suspected(other)).toBe("unreachable");
    units.count({ ...other, from: 1 }, lost("unreachable"));
    expect(units.suspected({ ...other, from: 1 })).toBeUndefined();
  });

  it("gives a unit up after three tries, and says where and how the target stood", () => {
    const { units, unit, work, divergences } = tries();
    const target = { exitCode: 1, signal: null, output: ["boom"] };
    for (let round = 0; round < 2; round++) units.count(unit, lost("dirty"));
    expect([divergences.all.length, work.state(0)]).toEqual([0, 0]);
    units.count(unit, lost("dirty", { differences: ["- x"], target }));
    expect(divergences.all).toMatchObject([
      { kind: "not_put_back", path: ["b"], message: expect.stringContaining("failed in 3 tries"), differences: ["- x", "| boom"] },
    ]);
    expect(work.state(0)).toBe(KNOWN);
  });

  it.each(["worker", "store"] as const)("says of a %s that the lane was lost", (kind) => {
    const { units, unit, divergences } = tries();
    for (let round = 0; round < 3; round++) units.count(unit, lost(kind));
    expect(divergences.all).toMatchObject([{ kind: "lane" }]);
  });

  it("knows what was seen and not tried to its end", () => {
    const { units, unit, work } = tries();
    units.count(unit, lost("timeout", { message: "GET /b got no answer within 3 s." }));
    units.count({ ...unit, from: 1 }, lost("store"));
    const [seen, ...others] = units.unsettled(["a", "b"], "the time was up");
    expect(others).toEqual([]);
    expect(seen).toMatchObject({
      lastAction: "a",
      path: [1, 0],
      finding: {
        invariant: "a_timeout",
        severity: "high",
        message:
          "A request timed out once during a. seqqa could not repeat the step to confirm the missing answer, because the time was up. GET /b got no answer within 3 s.",
      },
    });
    work.learn(0, 1, new Int32Array(ROW), 0, 2);
    expect(units.unsettled(["a", "b"], "the time was up")).toEqual([]);
  });

  it("reports it also where the call ended a target that runs already, so that no lane is left for a second try", () => {
    const { units, unit } = tries();
    units.count(unit, lost("unreachable"));
    const stopped = { stopReason: "interrupted", tries: units } as const;
    expect(unsettledOf({ ...stopped, fatal: undefined }, ["a", "b"], undefined)).toEqual([]);
    expect(unsettledOf({ ...stopped, fatal: new Error("refused") }, ["a", "b"], undefined)).toMatchObject([
      {
        path: [1, 0],
        finding: { invariant: "target_crashed", message: expect.stringContaining("could not start the lane again. it broke") },
      },
    ]);
  });

  it("names the check whose request ended the target", () => {
    const { units, unit } = tries();
    units.count(unit, lost("unreachable", { check: "holds" }));
    const [seen] = units.unsettled(["a", "b"], "the run was interrupted");
    expect(seen!.finding).toMatchObject({
      invariant: "target_crashed",
      message:
        "The target stopped answering once during a request of holds after a. seqqa could not repeat the step to confirm the missing answer, because the run was interrupted. it broke",
    });
  });
});
