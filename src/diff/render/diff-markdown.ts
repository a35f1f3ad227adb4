import { inertMarkdown } from "../../reports/index.ts";
import type { RunDiff } from "../run-diff.ts";
import { sectionsOf, titleOf, type DiffRow } from "./diff-rows.ts";

const WORDS: Readonly<Record<DiffRow["mark"], string>> = { "+": "added", "-": "removed", "!": "**worse**", v: "better", "~": "changed" };
/** The largest number of characters of the text. GitHub accepts 65,536 characters for a comment. */
const MOST = 60_000;
const LONGEST = 600;

/** Returns a diff as Markdown for a comment on a pull request; empty if nothing differs. Rows that do not fit are counted. */
export function diffMarkdown(diff: RunDiff): string {
  if (diff.parts.length === 0) return "";
  const parts = [`## seqqa: the behaviour of the API changed\n\nFrom ${inertMarkdown(diff.before)} to ${inertMarkdown(diff.after)}.\n\n`];
  let size = parts[0]!.length;
  let left = 0;
  const add = (text: string, rows: number): void => {
    if (size + text.length > MOST) left += rows;
    else {
      size += text.length;
      parts.push(text);
    }
  };
  for (const part of diff.parts) {
    const rows = sectionsOf(part).flatMap(({ title, rows: inside }) => inside.map((row) => ({ title, row })));
    const [first, ...rest] = rows.map(({ title, row }) => rowText(title, row));
    add(`### ${inertMarkdown(titleOf(part))}\n\n| | What | Change | Shortest path |\n| --- | --- | --- | --- |\n${first!}`, rows.length);
    for (const row of rest) add(row, 1);
    parts.push("\n");
  }
  if (left > 0) parts.push(`${left} more ${left === 1 ? "change" : "changes"}: \`seqqa diff\` shows all changes.\n\n`);
  for (const note of diff.notes.slice(0, 5)) parts.push(`Note: ${inertMarkdown(note, LONGEST)}\n\n`);
  return parts.join("");
}

function rowText(title: string, { mark, subject, text, path }: DiffRow): string {
  const [what, change, shortest] = [subject, text, path].map((one) => inertMarkdown(one, LONGEST));
  return `| ${WORDS[mark]} | ${title.replace(/s$/, "").toLowerCase()} ${what!} | ${change!} | ${shortest!} |\n`;
}
