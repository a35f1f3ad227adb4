import { plural } from "../../console/text/numbers.ts";
import { ROW_LINE } from "../../../state/compare/differences.ts";
import { wholeState, withoutRowSign } from "../../console/text/readable-changes.ts";
import type { Limits } from "../limits.ts";
import { shortText, text } from "../text/safe-text.ts";

interface StateLine {
  readonly kind: "ins" | "del" | "span";
  readonly text: string;
}

/** A state is shown with all rows of the root state only if the root state has at most this number of lines. */
const ROOT_ROWS = 40;

/** Returns the changes of a step as HTML. Each line begins with `- ` or `+ `. Lines for which `isMarked` returns `true` are highlighted. */
export function changesPart(changes: readonly string[], limits: Limits, isMarked: (line: string) => boolean = () => false): string {
  if (changes.length === 0) return '<p class="quiet">The state did not change.</p>';
  const lines = changes.map((line): StateLine => ({
    kind: line.startsWith("+") ? "ins" : line.startsWith("-") ? "del" : "span",
    text: line,
  }));
  return `${bar("What changed in the state")}${linesPart("What changed in the state", lines, limits, isMarked)}`;
}

/**
 * Returns HTML with the whole state after a step, collapsed when the page opens. Lines that the step added or removed are highlighted.
 * @param root the lines of the root state
 * @param before the state before the step, relative to the root state; `undefined` if it is the root state
 */
export function wholeStatePart(
  after: readonly string[],
  before: readonly string[] | undefined,
  root: readonly string[],
  limits: Limits,
): string {
  const isListed = root.length <= ROOT_ROWS;
  const whole = (state: readonly string[]): readonly string[] => wholeState(isListed ? root : [], state);
  const values = root.filter((line) => !ROW_LINE.test(line));
  const lines = comparedLines(
    before === undefined ? [...whole([]), ...values.filter((line) => after.includes(line))] : whole(before),
    whole(after),
  );
  const title = "Whole state after this step";
  const count = plural(lines.filter(({ kind }) => kind !== "del").length, "line");
  const beside = isListed ? "" : `, not counting the rows of the root state (${root.length} of them are listed under Setup)`;
  const shown = lines.length === 0 ? '<p class="quiet">The state is empty.</p>' : linesPart(title, signed(lines), limits);
  return `<details class="whole"><summary>${title} <span class="quiet">${count}${beside}</span></summary>${shown}</details>`;
}

export function rootStatePart(lines: readonly string[], limits: Limits): string {
  const all = lines.map((line): StateLine => ({ kind: "span", text: withoutRowSign(line) }));
  return `${bar("The root state")}${linesPart("The root state", all, limits)}`;
}

/** Returns the HTML for the heading of a text block. The page's script adds a copy button to the heading. */
export const bar = (title: string): string => `<div class="titled"><h5>${text(title)}</h5></div>`;

const SIGNS = { ins: "+ ", del: "- ", span: "  " } as const;
const signed = (lines: readonly StateLine[]): readonly StateLine[] =>
  lines.map(({ kind, text: line }) => ({ kind, text: SIGNS[kind] + line }));

function comparedLines(before: readonly string[], after: readonly string[]): readonly StateLine[] {
  const left = new Map<string, number>();
  for (const line of before) left.set(line, (left.get(line) ?? 0) + 1);
  const now = after.map((line): StateLine => {
    const count = left.get(line) ?? 0;
    if (count > 0) left.set(line, count - 1);
    return { kind: count > 0 ? "span" : "ins", text: line };
  });
  const gone = [...left].flatMap(([line, count]) => Array.from({ length: count }, (): StateLine => ({ kind: "del", text: line })));
  // Sort the lines by text, so that the old and the new version of a row are next to each other.
  return [...gone, ...now].toSorted((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
}

function linesPart(title: string, all: readonly StateLine[], limits: Limits, isMarked: (line: string) => boolean = () => false): string {
  const left = all.length - limits.lines;
  const note = left > 0 ? `<p class="note">${plural(left, "more line")} left out to limit the size of this file.</p>` : "";
  const lines = (left > 0 ? all.slice(0, limits.lines) : all).map(({ kind, text: line }) => {
    const shown = shortText(line, limits.line);
    return `<${kind}>${isMarked(line) ? `<mark>${shown}</mark>` : shown}</${kind}>`;
  });
  return `<div class="diff" role="group" aria-label="${text(title)}" tabindex="0">${lines.join("")}</div>${note}`;
}
