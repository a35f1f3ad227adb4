import type { Behaviour, Graph } from "./graph-model.ts";

/**
 * Computes the findings that an exploration of a {@link Graph} must have, by the rules of the design and independently of the engine. It uses plain
 * sets, recursion and repeated passes instead of buffers and heaps, so it is slow but obviously correct.
 */

/** A step. `to` is -1 if the step led to no state. */
export interface NaiveStep {
  readonly from: number;
  readonly action: number;
  readonly to: number;
  readonly status: number;
}

export interface NaiveViolation {
  count: number;
  /** The length of the shortest path to the violation. */
  shortest: number;
}

/** The parts of a result that do not depend on the order of the exploration. */
export interface NaiveClosure {
  /** All states that are reached, including the root. */
  readonly states: ReadonlySet<number>;
  readonly expanded: ReadonlySet<number>;
  /** The length of the shortest path without findings, for every state that has such a path. */
  readonly cleanDepth: ReadonlyMap<number, number>;
  readonly steps: readonly NaiveStep[];
  readonly skipped: number;
  /** The violations by `invariant/action/status`. */
  readonly violations: ReadonlyMap<string, NaiveViolation>;
  readonly errors: number;
}

const skips = (does: Behaviour): boolean => does.kind === "unmet" || does.kind === "null" || does.kind === "changed_null";

/** Returns the names of the rules that a step breaks. */
export function findingsOf(graph: Graph, action: number, does: Behaviour): readonly string[] {
  if (does.kind !== "answer") return [];
  const found: string[] = [];
  if (does.status >= 500) found.push(`a${action}_server_error`);
  else if (graph.strict[action] === true && Math.floor(does.status / 100) !== 2) found.push(`a${action}_status`);
  if (graph.unsafe[does.to] === true) found.push("safe");
  if (graph.oddUnsafe[does.to] === true && action % 2 === 1) found.push("odd_safe");
  return found;
}

export function rootFindings(graph: Graph): readonly string[] {
  return [...(graph.unsafe[0] === true ? ["safe"] : []), ...(graph.oddUnsafe[0] === true ? ["odd_safe"] : [])];
}

/** Returns the lengths of the shortest paths without findings, by passes over all edges until nothing changes. Empty if the root breaks a rule. */
export function cleanDepths(graph: Graph, maxDepth: number): ReadonlyMap<number, number> {
  const depth = new Map<number, number>();
  if (rootFindings(graph).length > 0) return depth;
  depth.set(0, 0);
  for (let changed = true; changed;) {
    changed = false;
    for (const [state, at] of Array.from(depth)) {
      if (at >= maxDepth) continue;
      graph.table[state]!.forEach((does, action) => {
        if (does.kind !== "answer" || findingsOf(graph, action, does).length > 0) return;
        if (at + 1 < (depth.get(does.to) ?? Infinity)) {
          depth.set(does.to, at + 1);
          changed = true;
        }
      });
    }
  }
  return depth;
}

/** Returns the complete result within the depth limit. */
export function closure(graph: Graph, maxDepth: number = Infinity): NaiveClosure {
  const cleanDepth = cleanDepths(graph, maxDepth);
  const expanded = new Set([...cleanDepth].filter(([, depth]) => depth < maxDepth).map(([state]) => state));
  const states = new Set<number>([0, ...cleanDepth.keys()]);
  const steps: NaiveStep[] = [];
  const violations = new Map<string, NaiveViolation>();
  let skipped = 0;
  let errors = 0;
  for (const name of rootFindings(graph)) note(violations, `${name}//0`, 0);
  for (const from of expanded) {
    graph.table[from]!.forEach((does, action) => {
      if (does.kind === "changed_null" || does.kind === "throw") errors++;
      if (skips(does)) {
        skipped++;
        return;
      }
      if (does.kind !== "answer") {
        steps.push({ from, action, to: -1, status: 0 });
        return;
      }
      steps.push({ from, action, to: does.to, status: does.status });
      states.add(does.to);
      for (const name of findingsOf(graph, action, does)) note(violations, `${name}/a${action}/${does.status}`, cleanDepth.get(from)! + 1);
    });
  }
  return { states, expanded, cleanDepth, steps, skipped, violations, errors };
}

function note(violations: Map<string, NaiveViolation>, key: string, length: number): void {
  const known = violations.get(key);
  if (known === undefined) violations.set(key, { count: 1, shortest: length });
  else {
    known.count++;
    known.shortest = Math.min(known.shortest, length);
  }
}

export interface NaiveSequence {
  readonly steps: readonly NaiveStep[];
  readonly skipped: number;
  readonly stop: "exhausted" | "max_steps" | "max_depth" | "first_violation";
  /** The states from which every action was executed or skipped. */
  readonly expanded: ReadonlySet<number>;
}

export interface NaiveBudget {
  readonly maxSteps?: number;
  readonly maxDepth?: number;
  readonly stopOnFirstViolation?: boolean;
}

class Stop extends Error {
  readonly reason: "max_steps" | "first_violation";

  constructor(reason: "max_steps" | "first_violation") {
    super(reason);
    this.reason = reason;
  }
}

/** Returns the exact sequence of steps of a breadth-first exploration. */
export function breadthFirst(graph: Graph, budget: NaiveBudget = {}): NaiveSequence {
  return sequence(graph, budget, (start, expand) => {
    const queue = [...start];
    for (let state = queue.shift(); state !== undefined; state = queue.shift()) queue.push(...expand(state));
  });
}

/**
 * Returns the exact sequence of steps of a depth-first exploration without a depth limit. After a state, it visits each new state that this state led
 * to, in the order of the actions.
 */
export function depthFirst(graph: Graph, budget: Omit<NaiveBudget, "maxDepth"> = {}): NaiveSequence {
  return sequence(graph, budget, (start, expand) => {
    const visit = (state: number): void => {
      for (const child of expand(state)) visit(child);
    };
    for (const state of start) visit(state);
  });
}

function sequence(
  graph: Graph,
  { maxSteps = Infinity, maxDepth = Infinity, stopOnFirstViolation = false }: NaiveBudget,
  walk: (start: readonly number[], expand: (state: number) => readonly number[]) => void,
): NaiveSequence {
  const steps: NaiveStep[] = [];
  const expanded = new Set<number>();
  const depth = new Map<number, number>([[0, 0]]);
  let skipped = 0;
  let bounded = false;
  const expand = (state: number): readonly number[] => {
    const opened: number[] = [];
    graph.table[state]!.forEach((does, action) => {
      if (skips(does)) {
        skipped++;
        return;
      }
      if (steps.length >= maxSteps) throw new Stop("max_steps");
      if (does.kind !== "answer") {
        steps.push({ from: state, action, to: -1, status: 0 });
        return;
      }
      steps.push({ from: state, action, to: does.to, status: does.status });
      if (findingsOf(graph, action, does).length > 0) {
        if (stopOnFirstViolation) throw new Stop("first_violation");
        return;
      }
      if (depth.has(does.to)) return;
      depth.set(does.to, depth.get(state)! + 1);
      if (depth.get(does.to)! < maxDepth) opened.push(does.to);
      else bounded = true;
    });
    expanded.add(state);
    return opened;
  };
  const broken = rootFindings(graph).length > 0;
  if (broken && stopOnFirstViolation) return { steps, skipped, stop: "first_violation", expanded };
  try {
    walk(broken ? [] : [0], expand);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { steps, skipped, stop: error.reason, expanded };
  }
  return { steps, skipped, stop: bounded ? "max_depth" : "exhausted", expanded };
}
