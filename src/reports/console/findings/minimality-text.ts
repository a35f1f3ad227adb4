import type { Minimality, Violation } from "../../../model/results/result.ts";

const WORDS: Readonly<Record<Minimality, readonly [brief: string, sentence: string]>> = {
  shortest: ["shortest path", "Shortest path: seqqa tried every shorter sequence."],
  one_minimal: ["no step can be left out", "Every step is needed: the finding does not occur if any single step is left out."],
  as_found: [
    "may not be the shortest path",
    "A shorter path may exist: the time ran out before seqqa had tried all shorter paths, or a shorter path did not show the finding again.",
  ],
};

/** Returns a phrase that says if a shorter path to the finding may exist; `undefined` if this is unknown or the path has fewer than two steps. */
export function minimalityText({
  minimality,
  reproductionPath,
  shrunkFrom,
}: Pick<Violation, "minimality" | "reproductionPath" | "shrunkFrom">): string | undefined {
  if (minimality === undefined || reproductionPath.length < 2) return undefined;
  return `${WORDS[minimality][0]}${shrunkFrom === undefined ? "" : ` (found with ${shrunkFrom.length} steps)`}`;
}

/** Returns a sentence that says if a shorter path to the finding may exist; `undefined` if this is unknown or the path is empty. */
export function minimalitySentence({
  minimality,
  reproductionPath,
}: Pick<Violation, "minimality" | "reproductionPath">): string | undefined {
  return minimality === undefined || reproductionPath.length < 1 ? undefined : WORDS[minimality][1];
}
