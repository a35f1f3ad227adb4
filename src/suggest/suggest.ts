import type { StatesOfRun } from "../run-log/index.ts";
import { amounts } from "./find/amounts.ts";
import { answers } from "./find/answers.ts";
import type { Candidate } from "./find/candidate.ts";
import { dependents } from "./find/dependent.ts";
import { explored } from "./find/explored.ts";
import { keys } from "./find/keys.ts";
import { lifecycles } from "./find/lifecycles.ts";
import { owners } from "./find/owners.ts";
import { sums } from "./find/sums.ts";

/** Rules that the user may want to add, found in the rows and answers of an exploration. */
export interface Suggestions {
  /** The rules that were never broken, the most likely first. */
  readonly held: readonly Candidate[];
  /**
   * The rules that were broken in few states or steps, the most likely first. Such a rule shows a defect of the API, or does not fit the API. Rules
   * that few steps broke, but that stayed broken in many later states, come last.
   */
  readonly nearlyHeld: readonly Candidate[];
  /** The rules that are not suggested because steps with an unknown effect may have broken them, the most likely first. */
  readonly withheld: readonly Candidate[];
  readonly states: number;
  /** The number of states in which the rows of some tables are unknown, because the run log does not contain them completely. */
  readonly unread: number;
  /** The number of states that can only be reached by breaking a rule. These states are not used to find rules. */
  readonly violating: number;
  readonly tables: readonly string[];
}

/**
 * Finds rules of `seqqa/rules` that the rows and answers of an exploration support. Rules that the exploration already checks are left out. For two
 * columns a and b, the rule "a <= b" is left out if the rule "b <= a" has fewer exceptions.
 */
export function suggest(states: StatesOfRun): Suggestions {
  const all = explored(states);
  const known = new Set(states.rules);
  const found = [amounts, keys, sums, lifecycles, dependents, owners, answers]
    .flatMap((find) => find(all))
    .filter((one) => !known.has(one.name) && isSupported(one, states))
    .toSorted((a, b) => b.likelihood - a.likelihood || b.judged - a.judged || (a.code < b.code ? -1 : 1));
  const isUnclear = ({ unclear = 0 }: Candidate): boolean => unclear > 0;
  const clear = found.filter((one) => !isUnclear(one));
  return {
    held: clear.filter(({ broken }) => broken.length === 0),
    nearlyHeld: clear
      .filter((one) => one.broken.length > 0 && !isReversed(one, found))
      .toSorted((a, b) => Number(isOftenBroken(a)) - Number(isOftenBroken(b))),
    withheld: found.filter(isUnclear),
    states: states.states.length,
    unread: all.unread,
    violating: all.violating,
    tables: all.tables.map(({ name }) => name),
  };
}

/** A rule is suggested only if it could have been broken in at least this number of states or steps. */
const FEWEST = 3;
/** The largest share of states or steps that may break a suggested rule; see {@link isSupported} for the states that count. */
const MOST_BROKEN = 0.25;

/**
 * Returns `true` if enough states or steps support a rule, and few break it. A broken state counts only if its parent state does not break the rule:
 * otherwise, a single defect would count once for each state after it.
 */
function isSupported({ judged, broken }: Candidate, { states }: StatesOfRun): boolean {
  const all = new Set(broken.map(({ state }) => state));
  const first = broken.filter(({ state, action }) => action !== undefined || !all.has(states[state]!.parent));
  const kept = judged - broken.length;
  return kept >= FEWEST && first.length <= (kept + first.length) * MOST_BROKEN;
}

const isOftenBroken = ({ judged, broken }: Candidate): boolean => broken.length > judged * MOST_BROKEN;

/** Returns `true` for a rule "a <= b" between two columns if the rule "b <= a" has fewer exceptions. */
function isReversed({ rule, columns: [first, second], broken }: Candidate, found: readonly Candidate[]): boolean {
  const other = found.find((one) => one.rule === rule && one.columns[0] === second && one.columns[1] === first);
  return rule === "neverAbove" && other !== undefined && other.broken.length < broken.length;
}
