import type { Violation } from "../model/result.ts";

const WORDS = {
  shortest: "shortest path",
  one_minimal: "no step can be left out",
  as_found: "perhaps longer than need be",
} as const;

/** What a report says of the length of a path; `undefined` where there is nothing to say. */
export function minimalityText({
  minimality,
  reproductionPath,
  shrunkFrom,
}: Pick<Violation, "minimality" | "reproductionPath" | "shrunkFrom">): string | undefined {
  if (minimality === undefined || reproductionPath.length < 2) return undefined;
  return `${WORDS[minimality]}${shrunkFrom === undefined ? "" : ` (found with ${shrunkFrom.length} steps)`}`;
}
