import type { Candidate } from "../find/candidate.ts";

/**
 * Writes suggestions as a module of TypeScript that exports `suggested`, a list of rules. Names and values of the target are in it as literals and in
 * comments, on one line each.
 * @param of The name of the exploration.
 */
export function suggestionCode(of: string, suggestions: readonly Candidate[]): string {
  const functions = [...new Set(suggestions.map(({ rule }) => rule))].toSorted();
  const lines = [
    ...comment(
      `Rules that seqqa suggests for ${of}: each held wherever it could have been broken. Keep those that are meant, and list them:`,
    ),
    "// invariants: [...suggested]",
    `import { ${functions.join(", ")} } from "seqqa/rules";`,
    "",
    "export const suggested = [",
    ...suggestions.flatMap(({ code, evidence, nearest }) => [
      ...comment(`${evidence}${nearest === undefined ? "" : `; nearest: ${nearest.what}`}`).map((line) => `  ${line}`),
      `  ${code},`,
    ]),
    "];",
    "",
  ];
  return lines.join("\n");
}

/** One line, whatever characters are in it. */
const comment = (text: string): readonly string[] => [`// ${text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")}`];
