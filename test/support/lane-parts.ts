import { NOTHING_KNOWN } from "../../src/state/index.ts";
import { DataFactory } from "../../src/data/index.ts";
import { bringUp, LaneControl, LaneRuntime, type LaneBase, type LaneOptions, type LaneParts } from "../../src/lane/index.ts";
import type { AgentDefinition } from "../../src/model/declare/agent.ts";

/** Returns the parts of a lane without target, store or directory, for worlds in memory. */
export function memoryParts(index: number): LaneParts {
  return {
    lane: { index, baseUrl: "", dbUrl: undefined, dbPath: undefined, systems: {}, tmpDir: "" },
    inProcess: false,
    borrowed: false,
    createClient: undefined,
    createData: (seed) => new DataFactory({ seed }),
  };
}

export function laneOptions(options: Partial<LaneOptions> = {}): LaneOptions {
  return {
    clockMs: 1_700_000_000_000,
    settleMs: 0,
    serverErrors: "violation",
    hideBodies: false,
    literals: [],
    knowledge: NOTHING_KNOWN,
    shapes: false,
    ...options,
  };
}

/** Returns one lane in its root state, for tests of lanes. */
export async function laneOf<C extends object, A>(
  definition: AgentDefinition<C, A>,
  options: Partial<LaneOptions> = {},
  index = 0,
): Promise<{ readonly base: LaneBase; readonly runtime: LaneRuntime; readonly control: LaneControl }> {
  const base = await bringUp(definition as unknown as AgentDefinition<never, never>, memoryParts(index), laneOptions(options));
  const control = new LaneControl();
  return { base, control, runtime: new LaneRuntime(base, control) };
}
