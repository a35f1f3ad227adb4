import type { Strategy } from "../../model/declare/strategy.ts";
import { BfsFrontier } from "./bfs-frontier.ts";
import { CoverageFrontier } from "./coverage-frontier.ts";
import { DfsFrontier } from "./dfs-frontier.ts";
import type { Frontier } from "./frontier.ts";
import { RandomFrontier } from "./random-frontier.ts";

export { BfsFrontier } from "./bfs-frontier.ts";
export type { Opened, Frontier } from "./frontier.ts";

/** Returns the frontier of a strategy over `actions` actions. All random choices come from `seed`. */
export function orderOf(strategy: Strategy["kind"], actions: number, seed: number): Frontier {
  switch (strategy) {
    case "bfs":
      return new BfsFrontier(actions);
    case "dfs":
      return new DfsFrontier(actions);
    case "random":
      return new RandomFrontier(actions, seed);
    case "coverage_guided":
      return new CoverageFrontier(actions, seed);
  }
}
