import type { Model } from "./model.ts";

export interface Counts {
  /** Distinct states, the initial one included. */
  readonly states: number;
  /** Executed (state, action) pairs, self-loops included. */
  readonly transitions: number;
  readonly skipped: number;
  /** How many states have their shortest path of this length. */
  readonly statesAtDepth: readonly number[];
  /** Name of a finding -> how many transitions have it. */
  readonly findings: Readonly<Record<string, number>>;
  /** Name of a finding -> a shortest path to it. */
  readonly shortest: Readonly<Record<string, readonly string[]>>;
}

interface Node<S> {
  readonly state: S;
  readonly path: readonly string[];
  readonly broken: readonly string[];
  expanded: boolean;
}

export interface ExploreOptions {
  /** States of this depth are counted and not expanded. */
  readonly maxDepth?: number;
  /** Whether a path ends where it breaks a rule; default true. */
  readonly prune?: boolean;
}

/**
 * Breadth first over all states of a model. With `prune`, a state is expanded once a transition without a finding reaches it;
 * a state that breaks an invariant is counted and never expanded.
 */
export function explore<S>(model: Model<S>, options: ExploreOptions = {}): Counts {
  const { maxDepth = Infinity, prune = true } = options;
  const nodes = new Map<string, Node<S>>();
  const findings: Record<string, number> = {};
  const shortest: Record<string, readonly string[]> = {};
  const statesAtDepth: number[] = [];
  let transitions = 0;
  let skipped = 0;

  const note = (names: readonly string[], path: readonly string[]): void => {
    for (const name of names) {
      findings[name] = (findings[name] ?? 0) + 1;
      shortest[name] ??= path;
    }
  };
  const visit = (state: S, path: readonly string[]): Node<S> => {
    const key = JSON.stringify(state);
    let node = nodes.get(key);
    if (node === undefined) {
      node = { state, path, broken: model.broken(state), expanded: false };
      nodes.set(key, node);
      statesAtDepth[path.length] = (statesAtDepth[path.length] ?? 0) + 1;
    }
    return node;
  };

  const root = visit(model.initial, []);
  note(root.broken, []);
  // Expanded along the path of the clean transition that opened it, which may be longer than the node's own.
  let level: { readonly node: Node<S>; readonly path: readonly string[] }[] = [];
  if (!prune || root.broken.length === 0) {
    root.expanded = true;
    level.push({ node: root, path: [] });
  }
  for (let depth = 0; level.length > 0 && depth < maxDepth; depth++) {
    const next: typeof level = [];
    for (const { node, path } of level) {
      for (const action of model.actions) {
        const outcome = model.step(node.state, action);
        if (outcome === null) {
          skipped++;
          continue;
        }
        transitions++;
        const along = [...path, action];
        const target = visit(outcome.state, along);
        const found = outcome.finding === undefined ? target.broken : [...target.broken, outcome.finding];
        note(found, along);
        if (target.expanded || (prune && found.length > 0)) continue;
        target.expanded = true;
        next.push({ node: target, path: along });
      }
    }
    level = next;
  }
  return { states: nodes.size, transitions, skipped, statesAtDepth, findings, shortest };
}
