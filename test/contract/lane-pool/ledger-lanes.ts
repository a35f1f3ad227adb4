import { fileURLToPath } from "node:url";
import type { LaneHost } from "../../../src/lane-pools/lane-factory.ts";
import type { AgentDefinition } from "../../../src/model/declare/agent.ts";
import type { LaneSpec } from "../../../src/targets/lanes/lane-spec.ts";

export const LEDGER: string = fileURLToPath(new URL("../../../fixtures/ledger/memory.explore.ts", import.meta.url));
export const HTTP = { timeoutMs: 30_000, retry: undefined } as const;

/** Lanes without targets and stores of their own. */
export const host: LaneHost = {
  provision: (index) => Promise.resolve(specOf(index)),
  reprovision: (index) => Promise.resolve(specOf(index)),
};

function specOf(index: number): LaneSpec {
  return {
    index,
    generation: 0,
    baseUrl: "",
    dbUrl: undefined,
    dbPath: undefined,
    tmpDir: "",
    systems: [],
    targetModule: undefined,
    borrowed: false,
    restartable: false,
  } as LaneSpec;
}

export async function ledger(): Promise<AgentDefinition<never, never>> {
  return ((await import(LEDGER)) as { readonly agent: AgentDefinition<never, never> }).agent;
}
