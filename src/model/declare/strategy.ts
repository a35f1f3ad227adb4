/** Name of a strategy, in the configuration and in results. */
export type StrategyKind = "bfs" | "dfs" | "random" | "coverage_guided";

/**
 * The order in which (state, action) pairs are explored. All strategies explore each pair at most once. Run to exhaustion, all find the same states.
 */
export interface Strategy {
  readonly kind: StrategyKind;
}

/** Breadth first: every path that it reports is a shortest one. */
export class BFS implements Strategy {
  readonly kind = "bfs";
}

/** Depth first: the newest state first, its actions in the order of their declaration. */
export class DFS implements Strategy {
  readonly kind = "dfs";
}

/** Pairs in the order of hash(seed, state, action): uniform over the open pairs, and the same for every number of lanes. */
export class Random implements Strategy {
  readonly kind = "random";
}

/** Prefers pairs whose action was executed least in states of the same shape, and whose parent edge brought something new. */
export class CoverageGuided implements Strategy {
  readonly kind = "coverage_guided";
}

/** Facts about a strategy. The rest of the program asks for these, never for the strategy's name. */
export interface StrategyTraits {
  /** States are opened and expanded in order of their distance from the root, so the first path to a state is a shortest one. */
  readonly isShortestFirst: boolean;
  /** The frontier reads the shape and the novelty of opened states; computing them costs a lane time. */
  readonly needsShapes: boolean;
}

/** A built-in strategy. Its frontier is made in `src/engine/frontiers/index.ts`. */
export interface StrategyFacts extends StrategyTraits {
  /** The class that users write: `new BFS()`. */
  readonly class: new () => Strategy;
}

/** The built-in strategies. A new one is a class and a row here, a frontier in `src/engine/frontiers`, and an export in `src/index.ts`. */
export const STRATEGIES: Readonly<Record<StrategyKind, StrategyFacts>> = {
  bfs: { class: BFS, isShortestFirst: true, needsShapes: false },
  dfs: { class: DFS, isShortestFirst: false, needsShapes: false },
  random: { class: Random, isShortestFirst: false, needsShapes: false },
  coverage_guided: { class: CoverageGuided, isShortestFirst: false, needsShapes: true },
};

/** The names of the strategies, in the order in which help and messages list them. */
export const STRATEGY_KINDS: readonly StrategyKind[] = Object.keys(STRATEGIES) as StrategyKind[];

/** The default. Shards, merges and the search that proves a path to be the shortest always use it. */
export const BREADTH_FIRST: StrategyKind = "bfs";
