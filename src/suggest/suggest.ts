import type { StatesOfRun } from "../run-log/index.ts";
import { amounts } from "./find/amounts.ts";
import { answers } from "./find/answers.ts";
import type { Candidate } from "./find/candidate.ts";
import { dependents } from "./find/dependent.ts";
import { explored } from "./find/explored.ts";
import { keys } from "./find/keys.ts";
import { lifecycles } from "./find/lifecycles.ts";
import { sums } from "./find/sums.ts";

/** The rules that may be intended, judged by the data of an exploration. */
export interface Suggestions {
  /** The properties that held in all places that could have broken them, the most likely first. */
  readonly held: readonly Candidate[];
  /** The properties that were broken in few places, the most likely first. Either the API has a defect, or the property is not intended. */
  readonly nearlyHeld: readonly Candidate[];
  readonly states: number;
  /** The number of states whose rows are not known. */
  readonly unread: number;
  /** The number of states that can only be reached by breaking a rule. They are not used as evidence. */
  readonly violating: number;
  readonly tables: readonly string[];
}

/**
 * Finds properties of an exploration's rows and answers that `seqqa/rules` can check. Properties that the exploration already has as rules are left
 * out. A bound is left out if the reverse bound holds better.
 */
export function suggest(states: StatesOfRun): Suggestions {
  const all = explored(states);
  const known = new Set(states.rules);
  const found = [amounts, keys, sums, lifecycles, dependents, answers]
    .flatMap((find) => find(all))
    .filter((one) => !known.has(one.name) && isSupported(one, states))
    .toSorted((a, b) => b.likelihood - a.likelihood || b.judged - a.judged || (a.code < b.code ? -1 : 1));
  return {
    held: found.filter(({ broken }) => broken.length === 0),
    nearlyHeld: found.filter((one) => one.broken.length > 0 && !isReversed(one, found)),
    states: states.states.length,
    unread: all.unread,
    violating: all.violating,
    tables: all.tables.map(({ name }) => name),
  };
}

/** The smallest number of places in which a property must hold to be suggested. */
const FEWEST = 3;
/** The largest share of places in which a property may be broken and still count as nearly held. */
const MOST_BROKEN = 0.25;
/** The largest share of broken places, including the states that follow a broken state. */
const MOST_SPOILT = 0.6;

/** Returns `true` if there is enough evidence for a property. A state that follows a broken state is not counted as a separate exception. */
function isSupported({ judged, broken }: Candidate, { states }: StatesOfRun): boolean {
  const all = new Set(broken.map(({ state }) => state));
  const first = broken.filter(({ state, action }) => action !== undefined || !all.has(states[state]!.parent));
  return judged - broken.length >= FEWEST && first.length <= judged * MOST_BROKEN && broken.length <= judged * MOST_SPOILT;
}

/** Returns `true` for a bound between two columns if the reverse bound has fewer exceptions. */
function isReversed({ rule, columns: [first, second], broken }: Candidate, found: readonly Candidate[]): boolean {
  const other = found.find((one) => one.rule === rule && one.columns[0] === second && one.columns[1] === first);
  return rule === "neverAbove" && other !== undefined && other.broken.length < broken.length;
}
