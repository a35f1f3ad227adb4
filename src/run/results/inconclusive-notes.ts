import type { Committer } from "../../engine/commit/committer.ts";
import { STORE_CLOCK } from "../../messages/lane-messages.ts";
import { grouped, plural } from "../../reports/console/text/numbers.ts";
import { stepsByAction } from "./unchecked-steps.ts";

/** Maximum number of notes. Each note is about one reason why rules were inconclusive. */
const SHOWN = 20;
/** Maximum number of actions that a note names. */
const NAMED = 3;
const START = "Inconclusive:";
const STORE_FILLS = "gets its time from the clock of the store, which seqqa does not move together with the clock of the target";

/**
 * Returns a note for each reason why rules were inconclusive in some steps, because it is unknown if the rules hold in these steps. Also returns a
 * note for each column that a store fills by its own clock.
 * @param actions The names of the actions.
 */
export function inconclusiveNotes(searched: Pick<Committer, "unjudged" | "edges">, actions: readonly string[]): readonly string[] {
  const { unjudged } = searched;
  const columns = unjudged.reasons.filter(({ invariant }) => invariant === STORE_CLOCK).map(({ what }) => what);
  const filled = columns.toSorted().map((column) => `The column ${column} ${STORE_FILLS}: let the target write the time.`);
  const all = unjudged.reasons.filter(({ invariant }) => invariant !== STORE_CLOCK).toSorted((a, b) => b.count - a.count);
  const total = all.length === 0 ? undefined : stepsByAction(searched);
  const notes = all.slice(0, SHOWN).map(({ invariant, what, count, actions: own, partly }) => {
    const of = [...own].reduce((sum, action) => sum + (total?.get(action)?.all ?? 0), 0);
    const steps =
      of < count
        ? plural(count, "step")
        : `${grouped(count)} of the ${plural(of, "step")} of ${namesText([...own].map((one) => actions[one]!))}`;
    const how = partly === true ? "could be checked only in part" : "could not be checked";
    return `${START} the rule ${invariant} ${how} in ${steps}: ${what}.`;
  });
  const rest = all.slice(SHOWN).reduce((sum, { count }) => sum + count, unjudged.others);
  return rest === 0
    ? [...filled, ...notes]
    : [...filled, ...notes, `${START} rules could not be checked in ${plural(rest, "more step")}, for other reasons.`];
}

/** Returns the names of actions as a list, or only their number if there are many. */
function namesText(names: readonly string[]): string {
  return names.length > NAMED ? plural(names.length, "action") : new Intl.ListFormat("en").format(names.toSorted());
}

/** Returns `true` if the note is about inconclusive rules. Merging drops such notes of shards, because the merged result gets its own notes. */
export function isInconclusiveNote(note: string): boolean {
  return note.startsWith(`${START} `) || note.includes(` ${STORE_FILLS}: `);
}
