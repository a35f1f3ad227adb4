import type { Committer } from "../../engine/commit/committer.ts";
import { plural } from "../../reports/console/numbers.ts";

/** Reasons that are named one by one. */
const SHOWN = 20;
const START = "Not judged";

/**
 * Returns one sentence for each reason why rules were inconclusive. A rule that is inconclusive in a step shows neither a violation nor that there is
 * none.
 */
export function inconclusiveNotes({ unjudged }: Pick<Committer, "unjudged">): readonly string[] {
  const all = unjudged.reasons.toSorted((a, b) => b.count - a.count);
  const notes = all.slice(0, SHOWN).map(({ invariant, what, count }) => `${START} by ${invariant} in ${plural(count, "step")}: ${what}.`);
  const rest = all.slice(SHOWN).reduce((sum, { count }) => sum + count, unjudged.others);
  return rest === 0 ? notes : [...notes, `${START} in ${plural(rest, "more step")}, for other reasons.`];
}

/** Returns `true` for notes of {@link inconclusiveNotes}. Each shard has its own, and the merged result counts them again. */
export function isInconclusiveNote(note: string): boolean {
  return note.startsWith(`${START} `);
}
