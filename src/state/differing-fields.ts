import { onlyIn } from "./differences.ts";

const LINE = /^((?:"(?:[^"\\]|\\.)*"|[^\s"])+) ([=+-]) (.*)$/s;
const SEGMENT = /"(?:[^"\\]|\\.)*"|\[\d+\]|[^.[\]]+/g;
/** Pairing rows costs their number squared. */
const MOST_ROWS = 200;

interface Row {
  readonly cells: ReadonlyMap<string, string>;
  readonly table: string;
}

/**
 * The fields in which two descriptions ({@link Canonicalizer.describe}) of states reached along one path differ: `table.column` for rows, a path such as
 * `context.user.seen` or `systems.model.orders[].code` for values, as {@link CanonicalOptions.masked} takes them. Ids count as equal to any other
 * id: another field may have shifted their names. Rows and values that only one side has name no field.
 */
export function differingFields(a: readonly string[], b: readonly string[]): readonly string[] {
  const fields = new Set<string>();
  const { onlyA, onlyB } = onlyIn(a.map(withoutNames), b.map(withoutNames));
  const left = parse(onlyA);
  const right = parse(onlyB);
  for (const [path, text] of left.values) {
    const other = right.values.get(path);
    if (other !== undefined && other !== text) fields.add(pathOf(path));
  }
  for (const [place, rows] of left.rows) pairRows(rows.slice(0, MOST_ROWS), (right.rows.get(place) ?? []).slice(0, MOST_ROWS), fields);
  return [...fields].sort();
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

/** Splits `id: #1, name: "a, b"` at the commas outside of strings. */
function parseCells(text: string): Map<string, string> {
  const cells = new Map<string, string>();
  for (const [, name, value] of text.matchAll(/((?:"(?:[^"\\]|\\.)*")|[^\s":,]+): ((?:"(?:[^"\\]|\\.)*"|[^",])*)(?:, |$)/g)) {
    cells.set(unquote(name!), value!);
  }
  return cells;
}

/** Pairs the rows that are most alike and adds the columns in which they differ. */
function pairRows(left: readonly Row[], right: readonly Row[], fields: Set<string>): void {
  const pairs: { readonly i: number; readonly j: number; readonly columns: readonly string[] }[] = [];
  left.forEach((a, i) =>
    right.forEach((b, j) => pairs.push({ i, j, columns: [...a.cells.keys()].filter((name) => a.cells.get(name) !== b.cells.get(name)) })),
  );
  pairs.sort((a, b) => a.columns.length - b.columns.length || a.i - b.i || a.j - b.j);
  const usedLeft = new Set<number>();
  const usedRight = new Set<number>();
  for (const { i, j, columns } of pairs) {
    if (usedLeft.has(i) || usedRight.has(j)) continue;
    usedLeft.add(i);
    usedRight.add(j);
    for (const column of columns) fields.add(`${left[i]!.table}.${column}`);
  }
}

function pathOf(path: string): string {
  const segments = (path.match(SEGMENT) ?? []).map((segment) => (/^\[\d+\]$/.test(segment) ? "[]" : segment === "#" ? "*" : segment));
  return segments.reduce((joined, segment) => (segment === "[]" || joined === "" ? joined + segment : `${joined}.${segment}`), "");
}

function unquote(segment: string): string {
  return segment.startsWith('"') ? (JSON.parse(segment) as string) : segment;
}
