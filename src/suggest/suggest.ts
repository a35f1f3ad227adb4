import type { StatesOfRun } from "../run-log/index.ts";
import { amounts } from "./find/amounts.ts";
import { answers } from "./find/answers.ts";
import type { Candidate } from "./find/candidate.ts";
import { dependents } from "./find/dependent.ts";
import { explored } from "./find/explored.ts";
import { keys } from "./find/keys.ts";
import { lifecycles } from "./find/lifecycles.ts";
import { sums } from "./find/sums.ts";

/** The rules that may be meant, by what an exploration saw. */
export interface Suggestions {
  /** Held wherever they could have been broken; the most likely first. */
  readonly held: readonly Candidate[];
  /** Broken in a few places: a defect, or no rule. The most likely first. */
  readonly nearlyHeld: readonly Candidate[];
  readonly states: number;
  /** Number of states whose rows are not known. */
  readonly unread: number;
  /** Number of states that break a rule of the exploration: they are no evidence. */
  readonly violating: number;
  /** Names of the tables whose rows were read. */
  readonly tables: readonly string[];
}

/**
 * Finds properties of the rows and answers of an exploration that `seqqa/rules` can judge. Those that the exploration has as rules already are left
 * out, and a property that follows from another one.
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

/** The fewest places that say anything. */
const FEWEST = 3;
/** The largest share of places in which a property may be broken and still be reported, as one that was nearly kept. */
const MOST_BROKEN = 0.25;
/** The same with all places behind them. */
const MOST_SPOILT = 0.6;

/** Returns `true` if there is enough that speaks for a property. What one step broke stays broken in the states behind it: it is counted once. */
function isSupported({ judged, broken }: Candidate, { states }: StatesOfRun): boolean {
  const all = new Set(broken.map(({ state }) => state));
  const first = broken.filter(({ state, action }) => action !== undefined || !all.has(states[state]!.parent));
  return judged - broken.length >= FEWEST && first.length <= judged * MOST_BROKEN && broken.length <= judged * MOST_SPOILT;
}

/** Returns `true` for a bound of two columns that is kept better the other way round. */
function isReversed({ rule, columns: [first, second], broken }: Candidate, found: readonly Candidate[]): boolean {
  const other = found.find((one) => one.rule === rule && one.columns[0] === second && one.columns[1] === first);
  return rule === "neverAbove" && other !== undefined && other.broken.length < broken.length;
}
