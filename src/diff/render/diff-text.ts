import { printable } from "../../reports/index.ts";
import type { RunDiff } from "../run-diff.ts";
import { headline, sectionsOf, titleOf } from "./diff-rows.ts";

/** Returns a diff as lines for a terminal or a log; empty if nothing differs. */
export function diffText(diff: RunDiff): string {
  if (diff.parts.length === 0) return "";
  const lines = diff.parts.flatMap((part) => [
    "",
    titleOf(part),
    ...sectionsOf(part).flatMap(({ title, rows }) => [
      `  ${title.toLowerCase()}`,
      ...rows.flatMap(({ mark, subject, text, path }) => [
        `    ${mark} ${subject}${text === "" ? "" : `: ${text}`}`,
        ...(path === "" ? [] : [`        ${path}`]),
      ]),
    ]),
  ]);
  const notes = diff.notes.length === 0 ? [] : ["", ...diff.notes.map((note) => `note: ${note}`)];
  return `${[headline(diff), ...lines, ...notes].map(printable).join("\n")}\n`;
}
