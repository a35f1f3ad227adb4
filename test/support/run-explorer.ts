import { Explorer, type ExplorerOptions } from "../../src/engine/search/explorer.ts";
import type { LaneReport } from "../../src/messages/lane-messages.ts";
import type { AgentDefinition } from "../../src/model/declare/agent.ts";
import { TestLanePool, type LanesExpanderOptions } from "./test-lane-pool.ts";

export interface RunOptions
  extends Partial<Omit<ExplorerOptions, "actions">>, Partial<Omit<LanesExpanderOptions, "definition" | "seed" | "options">> {
  /** The seed of delays and lost lanes. `seed` is the seed of the exploration. */
  readonly noise?: number;
  /** The seed of test data. */
  readonly dataSeed?: number;
}

export interface Explored {
  readonly explorer: Explorer;
  readonly lanePool: TestLanePool;
  readonly reports: readonly LaneReport[];
}

/** Runs the engine on lanes in this thread, and closes the lanes. Default: breadth first, one lane, no budget, no delays. */
export async function runExplorer<C extends object, A>(definition: AgentDefinition<C, A>, options: RunOptions = {}): Promise<Explored> {
  const { lanes = 1, depth = 1, noise = 0, losses = 0, delays = false, strategy = "bfs" } = options;
  const plain = definition as unknown as AgentDefinition<never, never>;
  const lanePool = new TestLanePool({
    definition: plain,
    lanes,
    depth,
    seed: noise,
    losses,
    delays,
    open: options.open,
    onExpansion: options.onExpansion,
    options: { shapes: strategy === "coverage_guided", dataSeed: options.dataSeed ?? 0 },
  });
  const reports = await lanePool.start();
  const explorer = new Explorer(
    {
      name: "test",
      actions: plain.actions.map(({ name }) => name),
      strategy,
      maxSteps: options.maxSteps ?? Number.MAX_SAFE_INTEGER,
      maxDepth: options.maxDepth ?? Infinity,
      maxTimeMs: options.maxTimeMs ?? Infinity,
      stopOnFirstViolation: options.stopOnFirstViolation ?? false,
      isKnown: () => false,
      violationPolicy: options.violationPolicy,
      seed: options.seed ?? 0,
      direct: options.direct ?? true,
      saidChains: options.saidChains ?? new Set(),
      crossCheck: options.crossCheck ?? { first: 3, oneIn: 5 },
      signal: options.signal,
      onEvent: options.onEvent ?? (() => undefined),
      journal: options.journal,
      spill: options.spill,
      recorded: options.recorded,
      shard: options.shard,
    },
    lanePool,
    performance.now(),
  );
  try {
    await explorer.run(reports[0]!);
  } finally {
    await lanePool.close();
  }
  if (explorer.fatal !== undefined) throw new Error("the run ended early", { cause: explorer.fatal });
  return { explorer, lanePool, reports };
}
