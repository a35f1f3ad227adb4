/**
 * The order in which (state, action) pairs are explored. All strategies explore each pair at most once. Run to exhaustion, all find the same states.
 */
export interface Strategy {
  readonly kind: "bfs" | "dfs" | "random" | "coverage_guided";
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
