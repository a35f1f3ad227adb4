import type { GraphEdge, GraphReader } from "../../reports/index.ts";

/** An action that gives another outcome in the second run after the same calls. */
export interface OutcomeChange {
  readonly action: string;
  readonly before: Outcome;
  readonly after: Outcome;
  /** The number of states in which the change was seen. */
  states: number;
  /** The shortest path to the change, ending with the action. All earlier outcomes on the path are equal in both runs. */
  readonly path: readonly string[];
}

/** The outcome of a call as a user of the API sees it; `null` if the call was not made because its precondition did not hold. */
export type Outcome = { readonly status: number; readonly effect: "changes" | "keeps" | "lost" } | null;

/** A state of the first run and a state of the second run, reached by the same calls. */
interface Pair {
  readonly before: number;
  readonly after: number;
  readonly from?: Pair;
  readonly action?: string;
}

/**
 * Follows the same calls through both graphs, beginning at the root states, and compares the outcomes of the actions that both runs have. The
 * contents of states are not compared, because ids and times differ in every run. After different outcomes, the path is not followed further.
 * Equivalent states are merged as by Hopcroft and Karp ("A linear algorithm for testing equivalence of finite automata", 1971). Therefore the number
 * of compared pairs of states is at most the number of states in both graphs.
 */
export function compareGraphs(before: GraphReader, after: GraphReader, actions: readonly string[]): readonly OutcomeChange[] {
  const changes = new Map<string, OutcomeChange>();
  const joined = new Classes(before.nodes + after.nodes);
  const queue: Pair[] = [];
  const visit = (pair: Pair): void => {
    if (joined.join(pair.before, before.nodes + pair.after)) queue.push(pair);
  };
  if (before.nodes > 0 && after.nodes > 0) visit({ before: 0, after: 0 });
  for (let at = 0; at < queue.length; at++) {
    const pair = queue[at]!;
    const [old, now] = [before.edgesOf(pair.before), after.edgesOf(pair.after)];
    // A state without outcomes was not expanded: a rule was broken on the way to it, or the time was used up.
    if (old.size === 0 || now.size === 0) continue;
    for (const action of actions) {
      const [one, other] = [old.get(action), now.get(action)];
      if (one === undefined && other === undefined) continue;
      if (one === undefined && !before.isExpanded(pair.before)) continue;
      if (other === undefined && !after.isExpanded(pair.after)) continue;
      const outcomes = { before: outcomeOf(one, pair.before), after: outcomeOf(other, pair.after) };
      const key = JSON.stringify([action, outcomes]);
      if (JSON.stringify(outcomes.before) !== JSON.stringify(outcomes.after)) {
        const known = changes.get(key);
        if (known !== undefined) known.states++;
        else changes.set(key, { action, ...outcomes, states: 1, path: [...pathOf(pair), action] });
      } else if (one!.to >= 0) {
        visit({ before: one!.to, after: other!.to, from: pair, action });
      }
    }
  }
  return [...changes.values()];
}

function outcomeOf(edge: GraphEdge | undefined, node: number): Outcome {
  if (edge === undefined) return null;
  return { status: edge.status, effect: edge.to === -1 ? "lost" : edge.to === node ? "keeps" : "changes" };
}

function pathOf(pair: Pair): readonly string[] {
  const path: string[] = [];
  for (let at: Pair | undefined = pair; at?.action !== undefined; at = at.from) path.push(at.action);
  return path.reverse();
}

/** Disjoint sets of numbers (union-find), for merging states that were found to be equivalent. */
class Classes {
  readonly #parents: Int32Array;

  constructor(count: number) {
    this.#parents = Int32Array.from({ length: count }, (_, index) => index);
  }

  /** Joins the sets that contain the two numbers. Returns `false` if both numbers were already in the same set. */
  join(one: number, other: number): boolean {
    const [a, b] = [this.#find(one), this.#find(other)];
    this.#parents[a] = b;
    return a !== b;
  }

  #find(member: number): number {
    let at = member;
    while (this.#parents[at] !== at) {
      this.#parents[at] = this.#parents[this.#parents[at]!]!;
      at = this.#parents[at]!;
    }
    return at;
  }
}
