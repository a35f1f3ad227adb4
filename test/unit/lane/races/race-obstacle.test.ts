import { expect, it } from "vitest";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { TestLanePool } from "../../../support/test-lane-pool.ts";

const OFF = { races: { mode: "off", delivery: "auto" }, faults: { mode: "off" } } as const;
const ON = { races: { mode: "pairs", delivery: "auto" }, faults: { mode: "on" } } as const;

it.each([
  ["races", { ...ON, faults: OFF.faults }, false, "RACES_IMPOSSIBLE"],
  ["faults", { ...ON, races: OFF.races }, false, "FAULTS_IMPOSSIBLE"],
  ["races with gated writes", { ...OFF, races: { mode: "pairs", delivery: "gated" } }, true, "RACES_UNGATED"],
] as const)("impossible %s are refused before setup", async (_what, probes, hasStore, code) => {
  let setups = 0;
  const definition = new AgentDefinition<object, object>({
    actions: [new Action({ name: "go", run: () => Promise.resolve(ApiResponse.of(200, {})) })],
    invariants: [],
    world: () => new World({ api: {}, systems: hasStore ? { store: new MemoryAdapter({ state: { n: 0 } }) } : {} }),
    setup: () => void setups++,
  });
  const start = async (options: object): Promise<void> => {
    const pool = new TestLanePool({ definition: definition as never, lanes: 1, delays: false, options });
    try {
      await pool.start();
    } finally {
      await pool.close();
    }
  };
  await expect(start({ probes })).rejects.toMatchObject({ code, exitStatus: 2 });
  expect(setups).toBe(0);
  await start({ probes: OFF });
  expect(setups).toBeGreaterThan(0);
});
