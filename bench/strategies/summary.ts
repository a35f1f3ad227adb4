import type { StrategyName } from "../support/agent-of.ts";
import { quartiles, type Quartiles } from "../support/quartiles.ts";
import { STRATEGIES, type BedResult, type Moment, type Sample } from "./run-bed.ts";

/** The steps and times after which a strategy reached its goal (the first finding, or all findings), over all seeds. */
export interface Reached {
  readonly steps: Quartiles;
  readonly ms: Quartiles;
  /** Number of seeds with which the strategy did not reach the goal within its steps. */
  readonly missed: number;
  /** `true` if every seed took the same number of steps. */
  readonly sameForAllSeeds: boolean;
}

export interface StrategySummary {
  readonly strategy: StrategyName;
  readonly first: Reached;
  readonly all: Reached;
}

export interface BedSummary extends BedResult {
  readonly summary: readonly StrategySummary[];
}

export function summarise(result: BedResult): BedSummary {
  const of = (strategy: StrategyName): readonly Sample[] => result.samples.filter((sample) => sample.strategy === strategy);
  const summary = STRATEGIES.map((strategy) => ({
    strategy,
    first: reached(of(strategy).map(({ first }) => first)),
    all: reached(of(strategy).map(({ all }) => all)),
  }));
  return { ...result, summary };
}

function reached(moments: readonly (Moment | null)[]): Reached {
  const steps = moments.map((moment) => moment?.steps ?? null);
  return {
    steps: quartiles(steps),
    ms: quartiles(moments.map((moment) => moment?.ms ?? null)),
    missed: steps.filter((value) => value === null).length,
    sameForAllSeeds: new Set(steps).size === 1,
  };
}
