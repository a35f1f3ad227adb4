/** How many states lie how deep, and in how many of them each action was executed. */
export interface ByDepth {
  /** States, by depth. */
  readonly states: readonly number[];
  /** Executions, by action and depth; none where the table would say nothing to a reader. */
  readonly executed: readonly (readonly number[])[];
}

/** Of a larger table. */
const MOST_ACTIONS = 60;
const MOST_DEPTHS = 40;

/** Counts what {@link ByDepth} says, edge by edge. */
export class DepthCounter implements ByDepth {
  readonly states: readonly number[];
  readonly executed: readonly number[][];

  /** `depths`: per node. */
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

  /** An action was executed in a state of this depth. */
  add(depth: number, action: number): void {
    const row = this.executed[action];
    if (row !== undefined) row[depth]!++;
  }
}
