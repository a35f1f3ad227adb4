import type { Committer } from "../../engine/commit/committer.ts";
import { STORE_CLOCK } from "../../messages/lane-messages.ts";
import { plural } from "../../reports/console/text/numbers.ts";

/** Maximum number of notes. Each note is about one reason why rules were inconclusive. */
const SHOWN = 20;
const START = "Inconclusive:";
const STORE_FILLS = "gets its time from the clock of the store, which seqqa does not move together with the clock of the target";

/**
 * Returns a note for each reason why rules were inconclusive in some steps, because it is unknown if the rules hold in these steps. Also returns a
 * note for each column that a store fills by its own clock.
 */
export function inconclusiveNotes({ unjudged }: Pick<Committer, "unjudged">): readonly string[] {
  const columns = unjudged.reasons.filter(({ invariant }) => invariant === STORE_CLOCK).map(({ what }) => what);
  const filled = columns.toSorted().map((column) => `The column ${column} ${STORE_FILLS}: let the target write the time.`);
  const all = unjudged.reasons.filter(({ invariant }) => invariant !== STORE_CLOCK).toSorted((a, b) => b.count - a.count);
  const notes = all
    .slice(0, SHOWN)
    .map(({ invariant, what, count }) => `${START} the rule ${invariant} could not be checked in ${plural(count, "step")}: ${what}.`);
  const rest = all.slice(SHOWN).reduce((sum, { count }) => sum + count, unjudged.others);
  return rest === 0
    ? [...filled, ...notes]
    : [...filled, ...notes, `${START} rules could not be checked in ${plural(rest, "more step")}, for other reasons.`];
}

/** Returns the names of the rules that were inconclusive in some step. */
export function inconclusiveRules({ unjudged }: Pick<Committer, "unjudged">): readonly string[] {
  return unjudged.reasons.map(({ invariant }) => invariant).filter((name) => name !== STORE_CLOCK);
}

/** Returns `true` if the note is about inconclusive rules. Merging drops such notes of shards, because the merged result gets its own notes. */
export function isInconclusiveNote(note: string): boolean {
  return note.startsWith(`${START} `) || note.includes(` ${STORE_FILLS}: `);
}
