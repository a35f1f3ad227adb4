import type { Committer } from "../../engine/commit/committer.ts";

/** The part of a committed edge that races need. */
interface EdgeEnd {
  /** -1 if there is no state. */
  readonly to: number;
  readonly status: number;
  readonly found: boolean;
}

/** Limit of cells of the table (nodes x actions): 80 MB. Nodes beyond it are not probed, and counted. */
const MOST_CELLS = 20_000_000;

/** A pair of calls to be probed in one state, the first of its class. */
export interface PlannedRace {
  readonly node: number;
  /** Action indices; more than two only of one action. */
  readonly sides: readonly number[];
  /** How suspicious the calls are, judged by their outcomes one after another. More suspicious ones are probed first. */
  readonly suspicion: number;
}

/** Which pairs of actions may be probed. */
export interface PairsToPlan {
  /** The number of actions. */
  readonly actions: number;
  /** Number of the agent's own actions. Actions that rules added come after them, and are not raced. Default: all. */
  readonly ownActions?: number;
  /** Number of calls of one action that are made at once. */
  readonly copies: number;
  /** The pairs of actions to probe; default: all. */
  readonly only?: readonly (readonly [number, number])[] | undefined;
}

/** The pairs to probe, most suspicious first, and those that are skipped. */
export interface RacePlan {
  readonly races: readonly PlannedRace[];
  /** Number of pairs of actions that were applicable in a state. */
  readonly pairs: number;
  readonly skipped: Readonly<Record<string, number>>;
}

/**
 * Chooses the pairs that are worth probing, from the committed graph alone. Pairs are one class if they have the same actions, the same answers alone
 * and after each other, and change the state, or keep it, in the same way. Of each class, the first pair in the order of commits is probed. These
 * pairs are skipped: pairs that are not among `only`, if that is given; pairs that only read (both leave the state unchanged), pairs with an action that a rule added (`ownActions`: the agent's own
 * actions come first), and pairs in which a call alone has a finding, fails or leads to no state.
 */
export function planRaces(committer: Committer, { actions, copies, ownActions = actions, only }: PairsToPlan): RacePlan {
  const isWanted = (a: number, b: number): boolean => only === undefined || only.some((pair) => pair.includes(a) && pair.includes(b));
  const outcomes = new Outcomes(committer, actions);
  const classes = new Map<string, PlannedRace>();
  const skipped: Record<string, number> = {};
  const skip = (reason: string): void => void (skipped[reason] = (skipped[reason] ?? 0) + 1);
  let pairs = 0;
  for (let node = 0; node < outcomes.nodes; node++) {
    const ends = Array.from({ length: actions }, (_, action) => outcomes.of(node, action));
    for (let a = 0; a < actions; a++) {
      const first = ends[a];
      if (first === undefined) continue;
      for (let b = a; b < actions; b++) {
        const second = ends[b];
        if (second === undefined || !isWanted(a, b)) continue;
        pairs++;
        if (b >= ownActions) skip("brought");
        else if (first.found || second.found || first.to < 0 || second.to < 0) skip("finding");
        else if (first.to === node && second.to === node) skip("read_only");
        else {
          const pair = { node, a, b, first, second, bAfterA: outcomes.of(first.to, b), aAfterB: outcomes.of(second.to, a) };
          const key = classOf(pair);
          if (!classes.has(key)) {
            const sides = a === b ? new Array<number>(copies).fill(a) : [a, b];
            classes.set(key, { node, sides, suspicion: suspicionOf(pair) });
          } else skip("same_class");
        }
      }
    }
  }
  if (outcomes.nodes < committer.visited.size) skipped["too_many_states"] = committer.visited.size - outcomes.nodes;
  // A stable sort: equal ones stay in the order of commits.
  const races = [...classes.values()].sort((one, other) => other.suspicion - one.suspicion);
  return { races, pairs, skipped };
}

interface Pair {
  readonly node: number;
  readonly a: number;
  readonly b: number;
  readonly first: EdgeEnd;
  readonly second: EdgeEnd;
  /** `undefined` if it was not executed there. */
  readonly bAfterA: EdgeEnd | undefined;
  readonly aAfterB: EdgeEnd | undefined;
}

function classOf({ node, a, b, first, second, bAfterA, aAfterB }: Pair): string {
  const alone = [a, b, first.status, second.status, first.to !== node, second.to !== node];
  const after = [bAfterA?.status, aAfterB?.status, bAfterA?.to === first.to, aAfterB?.to === second.to, commutes(bAfterA, aAfterB)];
  return [...alone, ...after].join();
}

/** Returns `true` if both orders lead to one state; `undefined` if that is not known. */
function commutes(bAfterA: EdgeEnd | undefined, aAfterB: EdgeEnd | undefined): boolean | undefined {
  return bAfterA === undefined || aAfterB === undefined ? undefined : bAfterA.to === aAfterB.to;
}

/** Returns a weight. A limit (the answer of a call differs after the other) counts most, then an action twice, then two that write. */
function suspicionOf({ node, a, b, first, second, bAfterA, aAfterB }: Pair): number {
  const limits = (alone: EdgeEnd, after: EdgeEnd | undefined): number => (after !== undefined && after.status !== alone.status ? 8 : 0);
  const succeeds = ({ status }: EdgeEnd): number => (status > 0 && status < 400 ? 1 : 0);
  return (
    Math.max(limits(second, bAfterA), limits(first, aAfterB)) +
    (a === b ? 4 : 0) +
    (first.to !== node && second.to !== node ? 3 : 0) +
    succeeds(first) +
    succeeds(second) +
    (commutes(bAfterA, aAfterB) === false ? 1 : 0)
  );
}

/** The committed edges by state and action. */
class Outcomes {
  /** States below this number are known. */
  readonly nodes: number;
  readonly #actions: number;
  readonly #edges: Committer["edges"];
  readonly #at: Int32Array;

  constructor({ edges, visited }: Committer, actions: number) {
    this.nodes = Math.min(visited.size, Math.floor(MOST_CELLS / actions));
    this.#actions = actions;
    this.#edges = edges;
    this.#at = new Int32Array(this.nodes * actions).fill(-1);
    for (let edge = 0; edge < edges.size; edge++) {
      const { from, action } = edges.at(edge);
      if (from < this.nodes) this.#at[from * actions + action] = edge;
    }
  }

  /** Returns the edge; `undefined` if the action was not executed there. */
  of(node: number, action: number): EdgeEnd | undefined {
    if (node < 0 || node >= this.nodes) return undefined;
    const edge = this.#at[node * this.#actions + action]!;
    return edge < 0 ? undefined : this.#edges.at(edge);
  }
}
