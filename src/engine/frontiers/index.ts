import type { StrategyKind } from "../../model/declare/search/strategy.ts";
import { BfsFrontier } from "./bfs-frontier.ts";
import { CoverageFrontier } from "./coverage-frontier.ts";
import { DfsFrontier } from "./dfs-frontier.ts";
import type { Frontier } from "./frontier.ts";
import { RandomFrontier } from "./random-frontier.ts";

export type { FrontierQueue, Opened, Frontier } from "./frontier.ts";

const FRONTIERS: Readonly<Record<StrategyKind, (actions: number, seed: number) => Frontier>> = {
  bfs: (actions) => new BfsFrontier(actions),
  dfs: (actions) => new DfsFrontier(actions),
  random: (actions, seed) => new RandomFrontier(actions, seed),
  coverage_guided: (actions, seed) => new CoverageFrontier(actions, seed),
};

/** Creates the frontier for a strategy. `actions`: the number of actions of the exploration. All random choices depend on `seed`. */
export function orderOf(strategy: StrategyKind, actions: number, seed: number): Frontier {
  return FRONTIERS[strategy](actions, seed);
}
