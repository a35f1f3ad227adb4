import type { Candidate } from "../find/candidate.ts";

/**
 * Returns suggested rules as a TypeScript module that exports `suggested`, a list of rules. Names and values from the target appear only in literals
 * and in one-line comments.
 * @param of the name of the exploration
 */
export function suggestionCode(of: string, suggestions: readonly Candidate[]): string {
  const functions = [...new Set(suggestions.map(({ rule }) => rule))].toSorted();
  const lines = [
    ...comment(
      `Rules that seqqa suggests for ${of}. Each rule held in every state and step of the run. Keep the rules that you want, and list them:`,
    ),
    "// invariants: [...suggested]",
    `import { ${functions.join(", ")} } from "seqqa/rules";`,
    "",
    "export const suggested = [",
    ...suggestions.flatMap(({ code, evidence, nearest, change, doubts = [] }) => [
      ...[
        `${evidence}${nearest === undefined ? "" : `; nearest: ${nearest.what}`}`,
        ...doubts.map((one) => `Check this: ${one}`),
        ...(change === undefined ? [] : [change]),
      ]
        .flatMap(comment)
        .map((line) => `  ${line}`),
      `  ${code},`,
    ]),
    "];",
    "",
  ];
  return lines.join("\n");
}

/** Returns a text as a one-line comment. Line breaks are replaced, because the text after a line break would be code. */
const comment = (text: string): readonly string[] => [`// ${text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")}`];
