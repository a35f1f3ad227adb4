import { fieldOfKind, type RowKind } from "../../model/stores/field-of-kind.ts";
import { cellsOf, onlyIn } from "./differences.ts";
import { patternShown, type RowKinds } from "../canonical/row-kinds.ts";

const NO_KINDS: RowKinds = new Map();

const LINE = /^((?:"(?:[^"\\]|\\.)*"|[^\s"])+) ([=+-]) (.*)$/s;
const SEGMENT = /"(?:[^"\\]|\\.)*"|\[\d+\]|[^.[\]]+/g;
/** The largest number of rows that are paired, because pairing takes quadratic time. */
const MOST_ROWS = 200;

interface Row {
  readonly cells: ReadonlyMap<string, string>;
  readonly table: string;
}

/**
 * Returns the fields that differ between two descriptions ({@link Canonicalizer.describe}) of states on one path, in the form of
 * {@link CanonicalOptions.masked}: `table.column` for rows, and a path such as `context.user.seen` or `systems.model.orders[].code` for other values.
 * All ids count as equal, because their names may change when another field differs. Rows and values that only one of the states has are ignored.
 */
export function differingFields(a: readonly string[], b: readonly string[], kinds: RowKinds = NO_KINDS): readonly string[] {
  const fields = new Set<string>();
  eachDifference(
    a,
    b,
    ({ kind, name }) => {
      if (kind === "field") fields.add(name);
    },
    kinds,
  );
  return [...fields].sort();
}

/**
 * A difference between two descriptions of states. `field`: the values of a field differ. `row`: the second description has more rows of a table.
 * `item`: the second description has more items of a list.
 */
export type Difference =
  | {
      readonly kind: "field";
      readonly name: string;
      /** The value in the first description. Empty if the first description does not show the field. */
      readonly before: string;
      /** The value in the second description. */
      readonly value: string;
    }
  | { readonly kind: "row" | "item"; readonly name: string };

/**
 * Calls `found` for every field that differs between two descriptions (see {@link differingFields}), and for each table or list that has more rows or
 * items in the second description.
 */
export function eachDifference(
  a: readonly string[],
  b: readonly string[],
  found: (difference: Difference) => void,
  kinds: RowKinds = NO_KINDS,
): void {
  const { onlyA, onlyB } = onlyIn(a.map(withoutNames), b.map(withoutNames));
  const left = parse(onlyA);
  const right = parse(onlyB);
  for (const [path, text] of left.values) {
    const value = right.values.get(path);
    if (value !== undefined && value !== text) found({ kind: "field", name: pathOf(path), before: text, value });
  }
  for (const [place, rows] of left.rows)
    pairRows(rows.slice(0, MOST_ROWS), (right.rows.get(place) ?? []).slice(0, MOST_ROWS), found, kinds);
  for (const [place, rows] of right.rows)
    if (place.endsWith("+") && rows.length > (left.rows.get(place)?.length ?? 0)) found({ kind: "row", name: rows[0]!.table });
  const items = itemsOf(left.values);
  for (const [name, paths] of itemsOf(right.values)) if (paths.size > (items.get(name)?.size ?? 0)) found({ kind: "item", name });
}

/** Returns, for each list, the items in which values were found: `context.cart[2].name` belongs to an item of the list `context.cart`. */
function itemsOf(values: ReadonlyMap<string, string>): Map<string, Set<string>> {
  const items = new Map<string, Set<string>>();
  for (const path of values.keys()) {
    const item = /^.*\[\d+\]/.exec(path)?.[0];
    if (item === undefined) continue;
    const name = pathOf(item).slice(0, -2);
    items.set(name, (items.get(name) ?? new Set()).add(item));
  }
  return items;
}

const withoutNames = (line: string): string => line.replace(/(?:root)?#t?\d+/g, "#");

function parse(lines: readonly string[]): { readonly values: Map<string, string>; readonly rows: Map<string, Row[]> } {
  const values = new Map<string, string>();
  const rows = new Map<string, Row[]>();
  for (const line of lines) {
    const [, path, sign, rest] = LINE.exec(line) ?? [];
    if (path === undefined || sign === undefined || rest === undefined) continue;
    if (sign === "=") {
      values.set(path, rest);
      continue;
    }
    const table = unquote(path.match(SEGMENT)?.at(-1) ?? path);
    const place = `${path} ${sign}`;
    const known = rows.get(place);
    const row = { table, cells: parseCells(rest.slice(1, -1)) };
    if (known === undefined) rows.set(place, [row]);
    else known.push(row);
  }
  return { values, rows };
}

function parseCells(text: string): Map<string, string> {
  return new Map(cellsOf(text).map(([name, value]) => [unquote(name), value]));
}

interface Pair {
  readonly i: number;
  readonly j: number;
  readonly columns: readonly string[];
  /** For tables with several kinds of rows: the number of columns that determine the kind and that differ between the two rows. */
  readonly apart: number;
  readonly kind: RowKind | undefined;
}

/** Pairs the most similar rows, and reports the columns in which they differ. Rows of different kinds are not paired. */
function pairRows(left: readonly Row[], right: readonly Row[], found: (difference: Difference) => void, kinds: RowKinds): void {
  const pairs: Pair[] = [];
  left.forEach((a, i) =>
    right.forEach((b, j) => {
      const of = kinds.get(a.table) ?? [];
      const kind = kindOfBoth(a, b, of);
      if (kind === "unlike") return;
      const differs = (name: string): boolean => a.cells.get(name) !== b.cells.get(name);
      pairs.push({ i, j, columns: [...a.cells.keys()].filter(differs), apart: of.filter(differs).length, kind });
    }),
  );
  pairs.sort((a, b) => a.apart - b.apart || a.columns.length - b.columns.length || a.i - b.i || a.j - b.j);
  const usedLeft = new Set<number>();
  const usedRight = new Set<number>();
  for (const { i, j, columns, kind } of pairs) {
    if (usedLeft.has(i) || usedRight.has(j)) continue;
    usedLeft.add(i);
    usedRight.add(j);
    for (const column of columns) {
      const field = `${left[i]!.table}.${column}`;
      const [before = "", value = ""] = [left[i]!, right[j]!].map(({ cells }) => cells.get(column));
      found({ kind: "field", name: kind === undefined ? field : fieldOfKind(field, kind), before, value });
    }
  }
}

/**
 * Returns the kind that two rows have in common, or `unlike` if their kinds differ. Returns `undefined` if the table has only one kind of rows, or if
 * a description shows a value only shortened.
 */
function kindOfBoth(a: Row, b: Row, columns: readonly string[]): RowKind | "unlike" | undefined {
  if (columns.length === 0) return undefined;
  const kind: Record<string, string> = {};
  for (const column of columns) {
    const [one, other] = [a, b].map(({ cells }) => patternShown(cells.get(column) ?? "null"));
    if (one === undefined || other === undefined) return undefined;
    if (one !== other) return "unlike";
    kind[column] = one;
  }
  return kind;
}

function pathOf(path: string): string {
  const segments = (path.match(SEGMENT) ?? []).map((segment) => (/^\[\d+\]$/.test(segment) ? "[]" : segment === "#" ? "*" : segment));
  return segments.reduce((joined, segment) => (segment === "[]" || joined === "" ? joined + segment : `${joined}.${segment}`), "");
}

function unquote(segment: string): string {
  return segment.startsWith('"') ? (JSON.parse(segment) as string) : segment;
}
