import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { buildLane } from "../../../src/expanders/build-lane.ts";
import { InlineExpander } from "../../../src/expanders/inline/inline-expander.ts";
import type { LaneHost } from "../../../src/expanders/lane-factory.ts";
import { ThreadsExpander } from "../../../src/expanders/threads/threads-expander.ts";
import type { bundle as bundleModule } from "../../../src/loader/index.ts";
import type { AgentDefinition } from "../../../src/model/agent.ts";
import type { LaneSpec } from "../../../src/targets/lane-spec.ts";
import { LanesExpander } from "../../support/lanes-expander.ts";
import { laneOptions } from "../../support/seats.ts";
import { expanderContract } from "./expander-contract.ts";

const LEDGER = fileURLToPath(new URL("../../../fixtures/ledger/memory.explore.ts", import.meta.url));
const HTTP = { timeoutMs: 30_000, retry: undefined };

/** Lanes without targets and stores of their own. */
const host: LaneHost = {
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

const definition = async (): Promise<AgentDefinition<never, never>> =>
  ((await import(LEDGER)) as { readonly agent: AgentDefinition<never, never> }).agent;

expanderContract("in this thread", async () => {
  return new InlineExpander({
    definition: await definition(),
    host,
    options: laneOptions(),
    build: (d, spec, options) => buildLane(d, spec, options, HTTP),
  });
});

expanderContract(
  "lanes of the tests, in this thread",
  async () => new LanesExpander({ definition: await definition(), lanes: 2, depth: 2, seed: 1 }),
);

// Threads run the built package: nothing transforms code inside of them.
const directory = mkdtempSync(join(tmpdir(), "seqqa-expander-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

expanderContract("worker threads", async () => {
  const built = new URL("../../../dist/", import.meta.url).href;
  const { bundle } = (await import(`${built}loader/index.js`)) as { readonly bundle: typeof bundleModule };
  const { file } = await bundle(LEDGER, { outDir: directory });
  return new ThreadsExpander({
    lanes: 2,
    depth: 2,
    host,
    bundle: file,
    exportName: "agent",
    options: laneOptions(),
    http: HTTP,
    setUp: false,
    hangMs: 20_000,
    workerUrl: new URL("expanders/threads/worker.js", built),
  });
});
