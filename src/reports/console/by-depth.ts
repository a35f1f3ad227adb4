/** The number of states at each depth, and the number of those states in which each action was executed. */
export interface ByDepth {
  /** States, by depth. */
  readonly states: readonly number[];
  /** Executions, by action and depth; empty where the table would be useless to a reader. */
  readonly executed: readonly (readonly number[])[];
}

/** The limits of the table; a larger one is not shown. */
const MOST_ACTIONS = 60;
const MOST_DEPTHS = 40;

/** Counts states and executions, edge by edge. */
export class DepthCounter implements ByDepth {
  readonly states: readonly number[];
  readonly executed: readonly number[][];

  /** `depths`: the depth of each node. */
  constructor(depths: Iterable<number>, actions: number) {
    const states: number[] = [];
    for (const depth of depths) {
      while (states.length <= depth) states.push(0);
      states[depth]!++;
    }
    this.states = states;
    const isShown = actions <= MOST_ACTIONS && states.length <= MOST_DEPTHS + 1;
    this.executed = isShown ? Array.from({ length: actions }, () => states.map(() => 0)) : [];
  }

  /** Counts an execution of an action in a state of this depth. */
  add(depth: number, action: number): void {
    const row = this.executed[action];
    if (row !== undefined) row[depth]!++;
  }
}
