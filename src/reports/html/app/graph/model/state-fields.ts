import { cellsOf, ROW_LINE } from "../../../../../state/compare/differences.ts";
import type { GraphModel } from "./graph-model.ts";
import { LONGEST_VALUE, shortPlace, unquoted } from "./line-text.ts";

/** A field of states, and its values in the states of a graph. */
export interface StateField {
  /**
   * The name of the field: `db.orders.status`, `context.order_id`, or `db.orders (rows)` for the number of rows that were added or removed since the
   * root state.
   */
  readonly name: string;
  /** For each node, the index of its value in `values`. */
  readonly of: Int32Array;
  /** The distinct values of the field. If a state has several rows, the value is a list such as `created, 2 × paid`. */
  readonly values: readonly string[];
}

/** The largest number of fields. Further fields are left out. */
const MOST = 200;

/** Returns the fields whose values differ between the states of a graph. Fields with the fewest values come first. */
export function stateFields(model: GraphModel): readonly StateField[] {
  const parsed = new Map<number, readonly (readonly [string, string])[]>();
  const cellsAt = (place: number): readonly (readonly [string, string])[] => {
    let cells = parsed.get(place);
    if (cells === undefined) parsed.set(place, (cells = cellsOfLine(model.text(place))));
    return cells;
  };
  const states = model.graph.nodes.state;
  const fields = new Map<string, { readonly values: Map<string, number>; readonly of: Int32Array }>();
  states.forEach((lines, node) => {
    const found = new Map<string, string[]>();
    for (const place of lines ?? []) {
      for (const [name, value] of cellsAt(place)) {
        const list = found.get(name);
        if (list === undefined) found.set(name, [value]);
        else list.push(value);
      }
    }
    for (const [name, values] of found) {
      let field = fields.get(name);
      if (field === undefined) {
        if (fields.size >= MOST) continue;
        // Index 0 is the value of states that lack the field.
        fields.set(name, (field = { values: new Map([[isCount(name) ? "0" : NONE, 0]]), of: new Int32Array(states.length) }));
      }
      const text = isCount(name) ? signed(values.reduce((sum, one) => sum + Number(one), 0)) : counted(values);
      field.of[node] = placeOf(field.values, text);
    }
  });
  return [...fields]
    .map(([name, { values, of }]) => ({ name, of, values: [...values.keys()] }))
    .filter(({ of }) => of.some((value) => value !== of[0]))
    .sort((a, b) => a.values.length - b.values.length);
}

/** The value of a field in states that lack the field. */
export const NONE = "none";
const ROWS = " (rows)";

export const isCount = (name: string): boolean => name.endsWith(ROWS);
const signed = (count: number): string => (count > 0 ? `+${count}` : String(count));

function placeOf(values: Map<string, number>, value: string): number {
  let place = values.get(value);
  if (place === undefined) values.set(value, (place = values.size));
  return place;
}

function counted(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const text = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([value, count]) => (count === 1 ? value : `${count} × ${value}`))
    .join(", ");
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}...` : text;
}

/** Parses one line of a state into field names and values: the cells of an added row, or a single value. */
function cellsOfLine(line: string): readonly (readonly [string, string])[] {
  const row = ROW_LINE.exec(line);
  if (row === null) {
    const at = line.indexOf(" = ");
    return at < 0 ? [] : [[shortPlace(line.slice(0, at)), unquoted(line.slice(at + 3))]];
  }
  const [table, sign] = [shortPlace(row[1]!.slice(0, -3)), row[1]!.at(-2)];
  if (sign === "-") return [[table + ROWS, "-1"]];
  return [[table + ROWS, "1"], ...cellsOf(row[2]!).map(([name, value]): [string, string] => [`${table}.${name}`, unquoted(value)])];
}
