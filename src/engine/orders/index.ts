import type { Strategy } from "../../model/declare/strategy.ts";
import { BfsOrder } from "./bfs-order.ts";
import { CoverageOrder } from "./coverage-order.ts";
import { DfsOrder } from "./dfs-order.ts";
import type { Order } from "./order.ts";
import { RandomOrder } from "./random-order.ts";

export { BfsOrder } from "./bfs-order.ts";
export type { Opened, Order } from "./order.ts";

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
