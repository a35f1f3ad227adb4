import type { Committer } from "../../engine/commit/committer.ts";
import { plural } from "../../reports/console/numbers.ts";

/** As many are named one by one. */
const SHOWN = 20;
const START = "Not judged";

/** What rules could not judge, a sentence each: nothing was found there, and nothing says that nothing is. */
export function inconclusiveNotes({ unjudged }: Pick<Committer, "unjudged">): readonly string[] {
  const all = unjudged.reasons.toSorted((a, b) => b.count - a.count);
  const notes = all.slice(0, SHOWN).map(({ invariant, what, count }) => `${START} by ${invariant} in ${plural(count, "step")}: ${what}.`);
  const rest = all.slice(SHOWN).reduce((sum, { count }) => sum + count, unjudged.others);
  return rest === 0 ? notes : [...notes, `${START} in ${plural(rest, "more step")}, for other reasons.`];
}

/** Of shards: each has its own, and their merged result counts them anew. */
export function isInconclusiveNote(note: string): boolean {
  return note.startsWith(`${START} `);
}
