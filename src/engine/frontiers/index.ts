import type { Strategy } from "../../model/declare/strategy.ts";
import { BfsOrder } from "./bfs-frontier.ts";
import { CoverageOrder } from "./coverage-frontier.ts";
import { DfsOrder } from "./dfs-frontier.ts";
import type { Order } from "./frontier.ts";
import { RandomOrder } from "./random-frontier.ts";

export { BfsOrder } from "./bfs-frontier.ts";
export type { Opened, Order } from "./frontier.ts";

/** The order of a strategy over `actions` actions; all draws come from `seed`. */
export function orderOf(strategy: Strategy["kind"], actions: number, seed: number): Order {
  switch (strategy) {
    case "bfs":
      return new BfsOrder(actions);
    case "dfs":
      return new DfsOrder(actions);
    case "random":
      return new RandomOrder(actions, seed);
    case "coverage_guided":
      return new CoverageOrder(actions, seed);
  }
}
