import { cellsOf, differences, ROW_LINE } from "../../../../../state/compare/differences.ts";
import { shortPlace, unquoted } from "./line-text.ts";

/** `FIELDS`, `LONGEST`: the largest numbers of fields and of characters in a label. */
const FIELDS = 3;
const LONGEST = 48;

/**
 * Returns a short label for a state: the fields that differ from the parent's state, such as `orders.status: paid`, and the added and removed rows.
 */
export function stateLabel(parent: readonly string[], own: readonly string[]): string {
  const parts: string[] = [];
  let before: string | undefined;
  for (const line of differences(...beforeAndAfter(parent, own), FIELDS * 4)) {
    const [sign, text] = [line.slice(0, 2), line.slice(2)];
    if (sign === "- ") {
      if (before !== undefined) parts.push(...gone(before));
      before = text;
    } else if (sign === "+ ") {
      const isPair = before !== undefined && placeOf(before) === placeOf(text);
      if (before !== undefined && !isPair) parts.push(...gone(before));
      parts.push(...(isPair ? changed(text, before!) : came(text)));
      before = undefined;
    }
  }
  if (before !== undefined) parts.push(...gone(before));
  const shown = [...new Set(parts)];
  const text = shown.slice(0, FIELDS).join(", ") + (shown.length > FIELDS ? ", ..." : "");
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}

/** Returns the place that a line describes: for a row, its table and the sign `+` or `-`. */
function placeOf(line: string): string {
  return ROW_LINE.exec(line)?.[1] ?? line.split(" = ", 1)[0]!;
}

/** Returns the name of a table or a key, without the name of its store. */
const nameOf = (line: string): string => {
  const row = ROW_LINE.exec(line)?.[1];
  const place = shortPlace(row === undefined ? line.split(" = ", 1)[0]! : row.slice(0, -3));
  return place.split(".").slice(1).join(".") || place;
};

/**
 * Returns comparable lines for the states of a parent and its child. A line with `-` means that the state lacks a row of the root state. If only one
 * of the two states lacks the row, the row is added to the lines of the other state.
 */
function beforeAndAfter(parent: readonly string[], own: readonly string[]): readonly [string[], string[]] {
  const isGone = (line: string): boolean => ROW_LINE.exec(line)?.[1]?.at(-2) === "-";
  const here = (line: string): string => line.replace(" - {", " + {");
  const only = (some: readonly string[], others: readonly string[]): readonly string[] =>
    some.filter((line) => isGone(line) && !others.includes(line)).map(here);
  const rest = (some: readonly string[]): readonly string[] => some.filter((line) => !isGone(line));
  return [
    [...rest(parent), ...only(own, parent)],
    [...rest(own), ...only(parent, own)],
  ];
}

function came(line: string): readonly string[] {
  if (ROW_LINE.test(line)) return [`+${nameOf(line)}`];
  return [`${nameOf(line)}: ${unquoted(line.slice(line.indexOf(" = ") + 3))}`];
}

function gone(line: string): readonly string[] {
  if (ROW_LINE.test(line)) return [`−${nameOf(line)}`];
  return [`−${nameOf(line)}`];
}

function changed(line: string, before: string): readonly string[] {
  const [row, other] = [ROW_LINE.exec(line), ROW_LINE.exec(before)];
  if (row === null || other === null) return came(line);
  const old = new Map(cellsOf(other[2]!));
  return cellsOf(row[2]!)
    .filter(([name, value]) => old.get(name) !== value)
    .map(([name, value]) => `${nameOf(line)}.${name}: ${unquoted(value)}`);
}
