import type { Committer } from "../../engine/commit/committer.ts";

interface EdgeEnd {
  /** The node to which the edge leads; -1 if the edge leads to no node. */
  readonly to: number;
  readonly status: number;
  /** `true` if the search continues along the edge. */
  readonly clean: boolean;
}

/**
 * Maximum product of the number of nodes and the number of actions. The table then needs 80 MB. Nodes beyond this limit are not probed and are
 * counted as skipped.
 */
const MOST_CELLS = 20_000_000;

/** A pair of calls to execute simultaneously in one state. The pair represents all pairs with the same actions and the same outcomes. */
export interface PlannedRace {
  readonly node: number;
  /** Indices of the actions to execute simultaneously. There are more than two indices only if all of them are the same action. */
  readonly sides: readonly number[];
  /** An estimate of how likely the calls race, from their results one after another. Pairs with higher values are probed first. */
  readonly suspicion: number;
}

export interface PairsToPlan {
  readonly actions: number;
  /** Number of actions that the agent itself declares. Actions that rules added have higher indices and are not raced. Default: all. */
  readonly ownActions?: number;
  /** Number of simultaneous calls if an action is raced with itself. */
  readonly copies: number;
  /** The pairs of actions to probe. Default: all. */
  readonly only?: readonly (readonly [number, number])[] | undefined;
  /**
   * Returns `true` if a finding excludes a call from races. Called only for calls after which the search did not continue. Default: all such calls
   * are excluded.
   */
  readonly isCut?: (node: number, action: number) => boolean;
}

export interface RacePlan {
  readonly races: readonly PlannedRace[];
  /** Number of (state, two actions) combinations in which both actions were applicable. */
  readonly pairs: number;
  readonly skipped: Readonly<Record<string, number>>;
  /** The pairs of actions that were skipped because of a finding, in the form of {@link pairOf}. */
  readonly cut: ReadonlySet<string>;
  /** The pairs of actions that were skipped because neither changed a store, in the form of {@link pairOf}. */
  readonly readOnly: ReadonlySet<string>;
}

/** Returns a text that identifies a pair of actions. */
export function pairOf(sides: readonly number[]): string {
  return sides
    .slice(0, 2)
    .toSorted((a, b) => a - b)
    .join();
}

/**
 * Chooses the pairs of calls to probe, from the committed graph.
 *
 * Pairs belong to one class if they have the same actions, the same statuses alone and after each other, and the same kind of effect on the state.
 * The first committed pair of each class is probed. Pairs outside `only`, pairs that only read, and pairs with an action that a rule added are
 * skipped. Pairs with a call that fails, leads to no state, or has a serious finding are skipped, too.
 */
export function planRaces(
  committer: Committer,
  { actions, copies, ownActions = actions, only, isCut = () => true }: PairsToPlan,
): RacePlan {
  const isWanted = (a: number, b: number): boolean => only === undefined || only.some((pair) => pair.includes(a) && pair.includes(b));
  const outcomes = new Outcomes(committer, actions);
  const classes = new Map<string, PlannedRace>();
  const skipped: Record<string, number> = {};
  const cut = new Set<string>();
  const readOnly = new Set<string>();
  const isLeftOut = (node: number, action: number, { to, clean }: EdgeEnd): boolean => to < 0 || (!clean && isCut(node, action));
  // A call that only renews generated values, such as a refresh token, leads back to its state.
  const isRead = (node: number, action: number, { to, status }: EdgeEnd): boolean =>
    to === node && (status >= 400 || !committer.renews(action));
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
        else if (isLeftOut(node, a, first) || isLeftOut(node, b, second)) {
          skip("finding");
          cut.add(pairOf([a, b]));
        } else if (isRead(node, a, first) && isRead(node, b, second)) {
          skip("read_only");
          readOnly.add(pairOf([a, b]));
        } else {
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
  // Pairs with equal values stay in the order of commits, because `sort` is stable.
  const races = [...classes.values()].sort((one, other) => other.suspicion - one.suspicion);
  return { races, pairs, skipped, cut, readOnly };
}

interface Pair {
  readonly node: number;
  readonly a: number;
  readonly b: number;
  readonly first: EdgeEnd;
  readonly second: EdgeEnd;
  /** The outcome of action `b` in the state after action `a`; `undefined` if `b` was not executed in that state. */
  readonly bAfterA: EdgeEnd | undefined;
  readonly aAfterB: EdgeEnd | undefined;
}

function classOf({ node, a, b, first, second, bAfterA, aAfterB }: Pair): string {
  const alone = [a, b, first.status, second.status, first.to !== node, second.to !== node];
  const after = [bAfterA?.status, aAfterB?.status, bAfterA?.to === first.to, aAfterB?.to === second.to, commutes(bAfterA, aAfterB)];
  return [...alone, ...after].join();
}

/** Returns `true` if both orders of the two actions lead to the same state; `undefined` if an order was not explored. */
function commutes(bAfterA: EdgeEnd | undefined, aAfterB: EdgeEnd | undefined): boolean | undefined {
  return bAfterA === undefined || aAfterB === undefined ? undefined : bAfterA.to === aAfterB.to;
}

/**
 * Estimates how likely two calls race, as a number. A status that changes after the other call counts most, then an action raced with itself, then
 * two calls that write.
 */
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

class Outcomes {
  /** Number of nodes in this table. Outcomes of nodes with higher indices are not known. */
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

  /** Returns the edge of an action; `undefined` if the action was not executed in this state. */
  of(node: number, action: number): EdgeEnd | undefined {
    if (node < 0 || node >= this.nodes) return undefined;
    const edge = this.#at[node * this.#actions + action]!;
    return edge < 0 ? undefined : this.#edges.at(edge);
  }
}
