import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../../src/config/index.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { Agent } from "../../../../src/run/agent.ts";
import { compareExploration, refuseBeyond } from "../../../../src/run/resume/check-resumable.ts";
import type { Stage, StoredExploration } from "../../../../src/run-log/index.ts";

const definition = new Agent({
  name: "a",
  actions: [new Action({ name: "go", run: (api) => api.get("/") })],
  invariants: [],
}) as never;

const ended: StoredExploration = {
  id: 0,
  name: "a",
  file: "qa/a.explore.ts",
  outcome: "ended",
  strategy: "bfs",
  seed: 0,
  stopReason: "max_time",
  steps: 60,
  states: 20,
  depth: 3,
  isCut: false,
  findingIds: [],
  actions: ["go"],
  beginning: {
    code: "c0de",
    clocksMs: [],
    knowledge: "",
    maxDepth: null,
    shard: null,
    violationPolicy: null,
    references: [],
    stages: [],
    root: { wholeLo: 0, wholeHi: 0, rootLo: 0, rootHi: 0, lines: [], broken: [] },
  },
};

/** How an exploration compares with a budget that is given now. */
function compared(exploration: Partial<StoredExploration>, budget: object, of?: number, known?: ReadonlySet<string>) {
  const flags = Object.entries(budget).map(([key, value]) => ({ key: `exploration.${key}`, flag: `--${key}`, value: String(value) }));
  const config = loadConfig({ env: {}, flags });
  const shard = of === undefined ? undefined : { index: 0, of };
  return compareExploration({ ...ended, ...exploration }, { definition, code: "c0de", config, shard, known });
}
const beyond = (...args: Parameters<typeof compared>): readonly string[] => compared(...args).beyond;

describe("what an exploration has beyond where it would end now", () => {
  it("are steps beyond max_steps, however it ended", () => {
    for (const stopReason of ["max_time", "interrupted", "lane_lost"]) {
      expect(beyond({ stopReason }, { max_steps: 59 })).toEqual(["qa/a.explore.ts has 60 steps (max_steps 59)"]);
      expect(beyond({ stopReason }, { max_steps: 60 })).toEqual([]);
    }
    expect(beyond({ outcome: "running" }, { max_steps: 10 })).toHaveLength(1);
  });

  it("are those beyond a shard's share", () => {
    expect(beyond({}, { max_steps: 120 }, 2)).toEqual([]);
    expect(beyond({}, { max_steps: 100 }, 2)).toEqual(["qa/a.explore.ts has 60 steps (max_steps 50)"]);
  });

  it("are states below max_depth", () => {
    expect(beyond({}, { max_depth: 2 })).toEqual(["qa/a.explore.ts has states at depth 3 (max_depth 2)"]);
    expect(beyond({}, { max_depth: 3 })).toEqual([]);
  });

  it("is nothing to refuse where it is over", () => {
    expect(compared({ stopReason: "max_steps" }, { max_steps: 10 }).isOver).toBe(true);
    expect(compared({ stopReason: "max_time" }, { max_steps: 10 }).isOver).toBe(false);
    expect([false, true].map((isCut) => compared({ stopReason: "exhausted", isCut }, {}).isOver)).toEqual([true, false]);
  });

  it("is not over while races or faults are wanted that no session made, whatever the run's configuration was", () => {
    const isOver = (stages: readonly Stage[], flags: object, stopReason = "exhausted"): boolean =>
      compared({ stopReason, beginning: { ...ended.beginning!, stages } }, flags).isOver;
    const both = { races: "pairs", faults: "on" };
    expect([[], ["races"], ["faults"], ["races", "faults"]].map((stages) => isOver(stages as readonly Stage[], both))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect([isOver(["races"], {}), isOver(["races"], { races: "pairs" }), isOver([], { faults: "on" })]).toEqual([true, true, false]);
    // After a first violation, races and faults are left out.
    expect(compared({ stopReason: "first_violation", findingIds: ["f"] }, { ...both, stop_on_first_violation: true }).isOver).toBe(true);
  });

  it("is not over after a first violation that is known now", () => {
    const isOver = (findingIds: readonly string[], ...known: readonly string[]): boolean =>
      compared({ stopReason: "first_violation", findingIds }, { stop_on_first_violation: true }, undefined, new Set(known)).isOver;
    expect([isOver(["f"]), isOver(["f"], "g"), isOver(["f", "g"], "g"), isOver(["f", "g"], "g", "f")]).toEqual([true, true, true, false]);
  });

  it("is refused by name", () => {
    const run = { id: "r", file: "nowhere.db" };
    const goingOn = (budget: object) => ({ ...compared({}, budget), exploration: ended, name: "a" });
    expect(() => refuseBeyond(run, [])).not.toThrow();
    // Where the store says so at a glance it is not read.
    expect(() => refuseBeyond(run, [goingOn({ max_steps: 10, max_depth: 1 })])).toThrow(
      expect.objectContaining({
        code: "RESUME_BUDGET",
        exitStatus: 2,
        message:
          "Run r has already exceeded the limits of the configuration: qa/a.explore.ts has 60 steps (max_steps 10); qa/a.explore.ts has states at depth 3 (max_depth 1).",
      }),
    );
  });
});
