import { join } from "node:path";
import type { Agent, ExplorationEvent, ExplorationResult } from "seqqa";
import { agentOf, type StrategyName } from "../support/agent-of.ts";
import type { Bed } from "./bed.ts";

export const STRATEGIES: readonly StrategyName[] = ["bfs", "dfs", "random", "coverage_guided"];

/** When a run had found something: after how many steps, and milliseconds after lanes were ready. */
export interface Moment {
  readonly steps: number;
  readonly ms: number;
}

export interface Sample {
  readonly strategy: StrategyName;
  readonly seed: number;
  /** `null`: not within the steps of the bed. */
  readonly first: Moment | null;
  readonly all: Moment | null;
  /** Of those that there are to find. */
  readonly found: number;
}

export interface BedResult {
  readonly bed: Bed;
  /** What breadth first found with all the steps of the bed. */
  readonly reference: {
    readonly findings: number;
    readonly states: number;
    readonly steps: number;
    readonly stopReason: ExplorationResult["stopReason"];
  };
  readonly samples: readonly Sample[];
}

/**
 * Every strategy once per seed, one after another in this process and in the reverse order every second seed, each against a target that is
 * started for it. A run ends when it has found all that there is to find. What breadth first finds with all the steps of the bed is that, and
 * warms up what is measured after it.
 * @throws Error when a run could not vouch for its result, or there is nothing to find
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
  /** By id, in the order in which they were found. */
  readonly moments: ReadonlyMap<string, Moment>;
}

/** Ends when all of `wanted` were found, if that is given. What is found beside those does not count. */
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
