/** The number of characters that are shown before and after the first difference within a long value. */
const AROUND = 30;

/**
 * Describes the differences between two described states: `- line` for a missing line, `+ line` for an unexpected line. First come pairs of lines
 * about the same row or value. Such rows are shown with only their first column and their differing columns. All other lines follow. Returns at most
 * `limit` lines (default 20), and then one line with the number of the remaining lines.
 */
export function differences(expected: readonly string[], actual: readonly string[], limit: number = 20): readonly string[] {
  const { onlyA, onlyB } = onlyIn(expected, actual);
  const lines: string[] = [];
  /** The pairs of lines that differ only in names of generated values. A name changes if another difference comes before it. */
  const renamed: string[] = [];
  const others = new Set(onlyB.map((_, index) => index));
  const alone: string[] = [];
  const [rowsA, rowsB] = [onlyA.map(readLine), onlyB.map(readLine)];
  for (const [index, a] of rowsA.entries()) {
    const partner = nearestOf(a, rowsB, others);
    if (partner === undefined) alone.push(`- ${onlyA[index]!}`);
    else {
      others.delete(partner);
      const [left, right] = narrowed(a, rowsB[partner]!);
      (unnamed(left) === unnamed(right) ? renamed : lines).push(`- ${left}`, `+ ${right}`);
    }
  }
  lines.push(...alone, ...[...others].map((index) => `+ ${onlyB[index]!}`));
  if (lines.length === 0) return cut(renamed, limit);
  const count = renamed.length / 2;
  if (count === 0) return cut(lines, limit);
  return [...cut(lines, limit), `... and ${count} ${count === 1 ? "place" : "places"} in which only names of generated values differ`];
}

function cut(lines: readonly string[], limit: number): readonly string[] {
  return lines.length <= limit ? lines : [...lines.slice(0, limit), `... and ${lines.length - limit} more`];
}

/** Returns a line without the numbers in the names of generated values (`root#2`, `#3`). */
function unnamed(line: string): string {
  return line.replaceAll(/#\d+/g, "#");
}

interface Line {
  /** The text before the braces, or before ` = `. */
  readonly place: string;
  readonly cells: readonly (readonly [name: string, value: string])[];
  readonly isRow: boolean;
}

/** Matches a row of a described state. A line that describes a step's change has an additional sign at its beginning. */
export const ROW_LINE: RegExp = /^((?:[+-] )?\S+ [+-] )\{(.*)\}$/s;

function readLine(line: string): Line {
  const row = ROW_LINE.exec(line);
  if (row !== null) return { place: row[1]!, cells: cellsOf(row[2]!), isRow: true };
  const at = line.indexOf(" = ");
  return at < 0 ? { place: line, cells: [], isRow: false } : { place: line.slice(0, at), cells: [["", line.slice(at + 3)]], isRow: false };
}

/** Splits `a: 1, b: {c: "x, y"}` at commas outside of strings, lists and objects. */
export function cellsOf(text: string): [string, string][] {
  const cells: [string, string][] = [];
  let [from, colon, depth] = [0, -1, 0];
  const end = (to: number): void => {
    if (colon >= 0) cells.push([text.slice(from, colon), text.slice(colon + 2, to)]);
    colon = -1;
  };
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (character === '"') for (i++; i < text.length && text[i] !== '"'; i++) if (text[i] === "\\") i++;
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    else if (depth === 0 && colon < 0 && text.startsWith(": ", i)) colon = i;
    else if (depth === 0 && text.startsWith(", ", i)) {
      end(i);
      from = i + 2;
    }
  }
  end(text.length);
  return cells;
}

/** Returns the most similar of the other lines: the line about the same value, or a row of the same table with at least one equal cell. */
function nearestOf(line: Line, all: readonly Line[], others: ReadonlySet<number>): number | undefined {
  let [best, most] = [undefined as number | undefined, 0];
  for (const index of others) {
    const other = all[index]!;
    if (other.place !== line.place || other.isRow !== line.isRow) continue;
    if (!line.isRow) return line.cells.length > 0 ? index : undefined;
    const equal = line.cells.filter(([name, value], i) => other.cells[i]?.[0] === name && other.cells[i][1] === value).length;
    // The first column usually identifies a row, so equal first columns count more.
    const score = equal === 0 ? 0 : equal + (line.cells[0]?.[1] === other.cells[0]?.[1] ? line.cells.length : 0);
    if (score > most) [best, most] = [index, score];
  }
  return best;
}

function narrowed(a: Line, b: Line): readonly [string, string] {
  const names = a.cells.map(([name]) => name);
  const isAlike = names.length === b.cells.length && names.every((name, i) => b.cells[i]![0] === name);
  const shown = names.map((_, i) => i).filter((i) => !isAlike || i === 0 || a.cells[i]![1] !== b.cells[i]![1]);
  const text = ({ place, cells, isRow }: Line, other: Line): string => {
    const values = (isAlike ? shown : cells.map((_, i) => i)).map((i) => {
      const value = around(cells[i]![1], other.cells[i]?.[1] ?? "");
      return isRow ? `${cells[i]![0]}: ${value}` : value;
    });
    return isRow ? `${place}{${values.join(", ")}}` : `${place} = ${values.join("")}`;
  };
  return [text(a, b), text(b, a)];
}

function around(value: string, other: string): string {
  if (value === other || value.length <= 4 * AROUND || !value.startsWith('"') || !other.startsWith('"')) return value;
  let at = 0;
  while (at < value.length && value[at] === other[at]) at++;
  const from = Math.max(1, at - AROUND);
  const to = Math.min(value.length - 1, at + AROUND);
  return `"${from > 1 ? "..." : ""}${value.slice(from, to)}${to < value.length - 1 ? "..." : ""}"`;
}

/** Returns the lines that are in only one of the lists. Of a repeated line, each occurrence without a partner in the other list is returned. */
export function onlyIn(a: readonly string[], b: readonly string[]): { onlyA: string[]; onlyB: string[] } {
  const counts = new Map<string, number>();
  for (const line of b) counts.set(line, (counts.get(line) ?? 0) + 1);
  const onlyA: string[] = [];
  for (const line of a) {
    const count = counts.get(line) ?? 0;
    if (count === 0) onlyA.push(line);
    else counts.set(line, count - 1);
  }
  const onlyB: string[] = [];
  for (const line of b) {
    const count = counts.get(line) ?? 0;
    if (count === 0) continue;
    onlyB.push(line);
    counts.set(line, count - 1);
  }
  return { onlyA, onlyB };
}
