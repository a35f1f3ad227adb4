import type { Committer } from "../../engine/commit/committer.ts";
import { plural } from "../../reports/console/numbers.ts";

/** Limit for the reasons that get a note of their own. */
const SHOWN = 20;
const START = "Not judged";

/** Returns a note for each reason why rules were inconclusive. For these steps, the result does not show if the rule holds. */
export function inconclusiveNotes({ unjudged }: Pick<Committer, "unjudged">): readonly string[] {
  const all = unjudged.reasons.toSorted((a, b) => b.count - a.count);
  const notes = all.slice(0, SHOWN).map(({ invariant, what, count }) => `${START} by ${invariant} in ${plural(count, "step")}: ${what}.`);
  const rest = all.slice(SHOWN).reduce((sum, { count }) => sum + count, unjudged.others);
  return rest === 0 ? notes : [...notes, `${START} in ${plural(rest, "more step")}, for other reasons.`];
}

/** Returns `true` for notes of {@link inconclusiveNotes}. Merging drops the shards' notes, because the merged result has its own. */
export function isInconclusiveNote(note: string): boolean {
  return note.startsWith(`${START} `);
}
