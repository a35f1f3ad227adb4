import { join } from "node:path";
import type { Agent, ExplorationEvent, ExplorationResult } from "seqqa";
import { agentOf, type StrategyName } from "../support/agent-of.ts";
import type { Bed } from "./bed.ts";

export const STRATEGIES: readonly StrategyName[] = ["bfs", "dfs", "random", "coverage_guided"];

/** The moment at which a run made a finding: the number of steps, and the milliseconds since the lanes were ready. */
export interface Moment {
  readonly steps: number;
  readonly ms: number;
}

export interface Sample {
  readonly strategy: StrategyName;
  readonly seed: number;
  /** The first finding; `null` if the run made none within its steps. */
  readonly first: Moment | null;
  readonly all: Moment | null;
  /** The number of findings that count. Others than those of the reference run do not count. */
  readonly found: number;
}

export interface BedResult {
  readonly bed: Bed;
  /** The result of the reference run: breadth first, with all steps. */
  readonly reference: {
    readonly findings: number;
    readonly states: number;
    readonly steps: number;
    readonly stopReason: ExplorationResult["stopReason"];
  };
  readonly samples: readonly Sample[];
}

/**
 * Runs every strategy once per seed, one run after another in this process, each with a newly started target. Every second seed has the reverse
 * order. A run ends when it has found everything that the reference run found. The reference run (breadth first, with all steps) also warms up the
 * code.
 * @throws Error if a run has errors or divergences, or the reference run finds nothing
 */
export async function runBed(bed: Bed, declared: Agent, seeds: number): Promise<BedResult> {
  const complete = await run(bed, declared, "bfs", 0, undefined);
  const ids = new Set(complete.result.violations.map(({ id }) => id));
  if (ids.size === 0) throw new Error(`Breadth first found nothing in ${bed.name} with ${bed.maxSteps} steps.`);
  const samples: Sample[] = [];
  for (let seed = 0; seed < seeds; seed++) {
    for (const strategy of seed % 2 === 0 ? STRATEGIES : STRATEGIES.toReversed()) {
      const { moments } = await run(bed, declared, strategy, seed, ids);
      const times = [...moments.values()];
      const all = times.length === ids.size ? times.at(-1)! : null;
      samples.push({ strategy, seed, first: times[0] ?? null, all, found: times.length });
    }
  }
  const { statesVisited: states, steps, stopReason } = complete.result;
  return { bed, reference: { findings: ids.size, states, steps, stopReason }, samples };
}

interface Ran {
  readonly result: ExplorationResult;
  /** The moment of each finding by id, in the order of the findings. */
  readonly moments: ReadonlyMap<string, Moment>;
}

/** Runs an exploration. With `wanted`, it ends as soon as all these findings were made, and other findings do not count. */
async function run(bed: Bed, declared: Agent, strategy: StrategyName, seed: number, wanted: ReadonlySet<string> | undefined): Promise<Ran> {
  const agent = agentOf(declared, { strategy, seed, maxSteps: bed.maxSteps, stopOnFirstViolation: false, races: "off" });
  const enough = new AbortController();
  const moments = new Map<string, Moment>();
  let begun = Number.NaN;
  const onEvent = (event: ExplorationEvent): void => {
    if (event.kind === "started") begun = performance.now();
    else if (event.kind === "violation" && (wanted?.has(event.id) ?? true)) {
      moments.set(event.id, { steps: event.steps, ms: performance.now() - begun });
      if (moments.size === wanted?.size) enough.abort();
    }
  };
  const config = bed.config === undefined ? {} : { config: join(process.env["SEQQA_ROOT"]!, bed.config) };
  const result = await agent.explore({ parallel: 1, ...config, signal: enough.signal, onEvent });
  const complaints = [...result.errors, ...result.divergences];
  if (complaints.length > 0) throw new Error(`${bed.name}, ${strategy}, seed ${seed}: ${complaints[0]!.message}`);
  return { result, moments };
}
