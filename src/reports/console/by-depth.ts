/** The number of states at each depth, and how often each action was executed at each depth. */
export interface ByDepth {
  readonly states: readonly number[];
  /** The number of executions, by action and depth. Empty if there are more than `MOST_ACTIONS` actions, or a depth above `MOST_DEPTHS`. */
  readonly executed: readonly (readonly number[])[];
}

/** The largest number of actions, and the largest depth, up to which executions are counted. A larger table could not be read. */
const MOST_ACTIONS = 60;
const MOST_DEPTHS = 40;

export class DepthCounter implements ByDepth {
  readonly states: readonly number[];
  readonly executed: readonly number[][];

  /** `depths` holds the depth of each node. */
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

  add(depth: number, action: number): void {
    const row = this.executed[action];
    if (row !== undefined) row[depth]!++;
  }
}
