/** The number of states at each depth, and the number of executions of each action at each depth. */
export interface ByDepth {
  readonly states: readonly number[];
  /** The number of executions by action and depth. The list is empty if a table of these numbers would be too large to read. */
  readonly executed: readonly (readonly number[])[];
}

/** The largest numbers of actions (`MOST_ACTIONS`) and of depths (`MOST_DEPTHS`) for which executions are counted. */
const MOST_ACTIONS = 60;
const MOST_DEPTHS = 40;

export class DepthCounter implements ByDepth {
  readonly states: readonly number[];
  readonly executed: readonly number[][];

  /** @param depths the depth of each node of the graph */
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
