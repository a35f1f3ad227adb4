import type { Minimality, Violation } from "../../model/results/result.ts";

/** Texts about the length of a path: in a few words, and in a sentence. */
const WORDS: Readonly<Record<Minimality, readonly [brief: string, sentence: string]>> = {
  shortest: ["shortest path", "Shortest: every shorter sequence was tried."],
  one_minimal: ["no step can be left out", "1-minimal: without any single one of its steps it does not reproduce."],
  as_found: ["may not be the shortest path", "As found: time was up before shorter paths could be ruled out."],
};

/** Returns a report's words about the length of a path; `undefined` where nothing is known. */
export function minimalityText({
  minimality,
  reproductionPath,
  shrunkFrom,
}: Pick<Violation, "minimality" | "reproductionPath" | "shrunkFrom">): string | undefined {
  if (minimality === undefined || reproductionPath.length < 2) return undefined;
  return `${WORDS[minimality][0]}${shrunkFrom === undefined ? "" : ` (found with ${shrunkFrom.length} steps)`}`;
}

/** Returns the same as a sentence; nothing for paths that cannot be shorter. */
export function minimalitySentence({
  minimality,
  reproductionPath,
}: Pick<Violation, "minimality" | "reproductionPath">): string | undefined {
  return minimality === undefined || reproductionPath.length < 1 ? undefined : WORDS[minimality][1];
}
