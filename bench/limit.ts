import { join } from "node:path";
import { Agent, type ExplorationResult } from "seqqa";
import { SqliteAdapter } from "seqqa/adapters/sqlite";
import { agent as ledger } from "../fixtures/ledger/ledger.explore.ts";
import { bareLoop, type BareRun } from "./support/bare-loop.ts";
import { full, median, type Row } from "./support/row.ts";
import { serveFixture } from "./support/served-file.ts";
import { Timeline } from "./support/timeline.ts";

const ROUNDS = full ? 5 : 3;
const STEPS = full ? 50_000 : 10_000;

/**
 * Compares the engine with a bare loop in the same process that makes the same requests, checkpoints and restores: one lane, the ledger, and the
 * checkpoint mode `journal`.
 */
export default async function limit(): Promise<readonly Row[]> {
  const engine: number[] = [];
  const bare: number[] = [];
  let last: ExplorationResult | undefined;
  let run: BareRun | undefined;
  // This exploration returns the graph for the bare loop, and warms up the code of both.
  const { result } = await explored();
  for (let round = 0; round < ROUNDS; round++) {
    const measureEngine = async (): Promise<void> => {
      const explorer = await explored();
      last = explorer.result;
      engine.push(explorer.perSecond);
    };
    const measureBare = async (): Promise<void> => {
      run = await walked(result);
      bare.push((run.steps / run.ms) * 1000);
    };
    for (const measure of round % 2 === 0 ? [measureEngine, measureBare] : [measureBare, measureEngine]) await measure();
  }
  const written = `${run!.written} nodes written`;
  return [
    {
      name: "engine",
      value: median(engine),
      unit: "steps/s",
      note: `${last!.replayed} replayed and ${last!.crossChecked} cross-checked for ${last!.steps} steps`,
    },
    { name: "bare loop", value: median(bare), unit: "steps/s", note: written },
    { name: "engine to bare loop", value: median(engine) / median(bare), unit: "ratio", note: "at least 0.85" },
  ];
}

async function explored(): Promise<{ readonly result: ExplorationResult; readonly perSecond: number }> {
  const timeline = new Timeline();
  const agent = new Agent({
    name: "ledger",
    world: ledger.world!,
    actions: ledger.actions,
    invariants: ledger.invariants,
    maxSteps: STEPS,
  });
  const result = await agent.explore({
    config: join(process.env["SEQQA_ROOT"]!, "fixtures/ledger/seqqa.yaml"),
    onEvent: (event) => timeline.note(event),
  });
  if (result.errors.length + result.divergences.length > 0) throw new Error(JSON.stringify([result.errors, result.divergences]));
  return { result, perSecond: (result.steps / timeline.exploringMs) * 1000 };
}

async function walked(result: ExplorationResult): Promise<BareRun> {
  const served = await serveFixture("ledger");
  const system = new SqliteAdapter({ file: served.file, checkpoint: "journal" });
  try {
    await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false });
    await system.root();
    return await bareLoop(result.graph, served.origin, system);
  } finally {
    await system.close();
    await served.stop();
  }
}
