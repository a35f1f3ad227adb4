/** The name of a strategy, in the configuration and in results. */
export type StrategyKind = "bfs" | "dfs" | "random" | "coverage_guided";

/**
 * The order in which (state, action) pairs are explored. Each strategy explores each pair at most once. If the search is exhaustive, all strategies
 * find the same states.
 */
export interface Strategy {
  readonly kind: StrategyKind;
}

/** Explores breadth first, so every reported path is a shortest path. */
export class BFS implements Strategy {
  readonly kind = "bfs";
}

/** Explores depth first: the newest state first, its actions in the order of their declaration. */
export class DFS implements Strategy {
  readonly kind = "dfs";
}

/** Explores pairs in the order of hash(seed, state, action). The choice is uniform over the open pairs, and the same for every number of lanes. */
export class Random implements Strategy {
  readonly kind = "random";
}

/**
 * Prefers (state, action) pairs whose action was executed least often in states with the same structure (the state without most of its values). Among
 * equal pairs, prefers states that were discovered by a new combination of action, status and structure.
 */
export class CoverageGuided implements Strategy {
  readonly kind = "coverage_guided";
}

/** The properties of a strategy that the engine needs to know. Code outside this file tests these properties, never the strategy's name. */
export interface StrategyTraits {
  /** `true` if states are found and expanded in order of their distance from the root. The first path to a state is then a shortest path. */
  readonly isShortestFirst: boolean;
  /**
   * `true` if the frontier needs the structure of each state (the state without most of its values), and needs to know which edges showed a new
   * combination of action, status and structure. Computing the structures takes time on lanes.
   */
  readonly needsShapes: boolean;
}

/** The facts about a built-in strategy. `src/engine/frontiers/index.ts` creates the strategy's frontier. */
export interface StrategyFacts extends StrategyTraits {
  /** The class that users instantiate: `new BFS()`. */
  readonly class: new () => Strategy;
}

/** The built-in strategies. A new strategy needs a class and a row here, a frontier in `src/engine/frontiers`, and an export in `src/index.ts`. */
export const STRATEGIES: Readonly<Record<StrategyKind, StrategyFacts>> = {
  bfs: { class: BFS, isShortestFirst: true, needsShapes: false },
  dfs: { class: DFS, isShortestFirst: false, needsShapes: false },
  random: { class: Random, isShortestFirst: false, needsShapes: false },
  coverage_guided: { class: CoverageGuided, isShortestFirst: false, needsShapes: true },
};

/** The names of the strategies, in the order in which help and messages list them. */
export const STRATEGY_KINDS: readonly StrategyKind[] = Object.keys(STRATEGIES) as StrategyKind[];

/** The default strategy. Shards, merges and the search for a shortest path always use it. */
export const BREADTH_FIRST: StrategyKind = "bfs";
