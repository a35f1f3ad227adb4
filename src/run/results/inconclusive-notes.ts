import type { Committer } from "../../engine/commit/committer.ts";
import { STORE_CLOCK } from "../../messages/lane-messages.ts";
import { plural } from "../../reports/console/numbers.ts";

/** Limit for the reasons that get a note of their own. */
const SHOWN = 20;
const START = "Not judged";
const STORE_FILLS = "is filled by the store's own clock, which does not move with the target's clock";

/**
 * Returns a note for each reason why rules were inconclusive, and for each column that a store fills by its own clock. For these steps and columns, the
 * result does not show if the rules hold.
 */
export function inconclusiveNotes({ unjudged }: Pick<Committer, "unjudged">): readonly string[] {
  const columns = unjudged.reasons.filter(({ invariant }) => invariant === STORE_CLOCK).map(({ what }) => what);
  const filled = columns.toSorted().map((column) => `${column} ${STORE_FILLS}: let the target write the time.`);
  const all = unjudged.reasons.filter(({ invariant }) => invariant !== STORE_CLOCK).toSorted((a, b) => b.count - a.count);
  const notes = all.slice(0, SHOWN).map(({ invariant, what, count }) => `${START} by ${invariant} in ${plural(count, "step")}: ${what}.`);
  const rest = all.slice(SHOWN).reduce((sum, { count }) => sum + count, unjudged.others);
  return rest === 0 ? [...filled, ...notes] : [...filled, ...notes, `${START} in ${plural(rest, "more step")}, for other reasons.`];
}

/** Returns `true` for notes of {@link inconclusiveNotes}. Merging drops the shards' notes, because the merged result has its own. */
export function isInconclusiveNote(note: string): boolean {
  return note.startsWith(`${START} `) || note.includes(` ${STORE_FILLS}: `);
}
