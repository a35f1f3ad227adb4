import { cellsOf } from "../../state/index.ts";
import type { StatesOfRun } from "../../run-log/index.ts";
import { decimalIn, isNull, numberIn, type Cell } from "./cells.ts";

export type Row = ReadonlyMap<string, Cell>;

/** A table of a database, with its rows in all states of an exploration. */
export interface Table {
  /** The name of the table's store in `systems`. */
  readonly store: string;
  readonly name: string;
  readonly columns: readonly string[];
  /** The column whose values are unique in every state; `undefined` if there is none. */
  readonly key: string | undefined;
  /** The rows of the table, by the index of the state; `undefined` for a state whose rows are unknown. */
  readonly rows: readonly (readonly Row[] | undefined)[];
}

export interface ExploredRows {
  readonly tables: readonly Table[];
  /** The number of states whose rows are unknown, because the run log does not contain them completely. */
  readonly unread: number;
}

/** Matches a line that describes a row: `systems.db.orders + {id: 1, status: "paid"}`. Names with special characters are quoted. */
const ROW = /^systems\.([\w$-]+)\.((?:[\w$-]+|"(?:[^"\\]|\\.)*")(?:\.(?:[\w$-]+|"(?:[^"\\]|\\.)*"))*) ([+-]) \{(.*)\}$/s;
/** Matches the end of a line, or of a list of lines, that was cut because of its length. */
const CUT = /\.\.\. \(\d+ characters\)$|^\.\.\. and \d+ more lines$/;

/** The tables in which Redis stores and BullMQ queues show their keys, with the columns of each. */
const REDIS_TABLES: ReadonlyMap<string, string> = new Map([
  ["expires", "key lifetime"],
  ["hash", "key field value"],
  ["list", "key index value"],
  ["other", "key type dump"],
  ["set", "key member"],
  ["stream", "key id at field value"],
  ["stream_consumer", "key group consumer"],
  ["stream_group", "key group after"],
  ["stream_info", "key last_id"],
  ["stream_pending", "key group id consumer deliveries"],
  ["string", "key value"],
  ["zset", "key member score"],
]);

/**
 * Reads the rows of every state. Stores of Redis and BullMQ are left out, because rules about rows ask SQL stores. The lines of a state list only the
 * rows that were added (`+`) or removed (`-`) since the root state.
 */
export function readRows({ root, states }: Pick<StatesOfRun, "root" | "states">): ExploredRows {
  const base = new Map<string, readonly string[]>();
  const ofRoot = tablesIn(root);
  for (const [table, { added }] of ofRoot ?? []) base.set(table, added);
  const byState = states.map(({ lines }) => (lines === undefined || ofRoot === undefined ? undefined : tablesIn(lines)));
  const names = new Set([...base.keys(), ...byState.flatMap((tables) => [...(tables?.keys() ?? [])])]);
  const all = [...names].toSorted().map((name) => tableOf(name, base.get(name) ?? [], byState));
  const tables = all.filter(({ columns }) => columns.length > 0);
  const sql = new Set(tables.filter((table) => !isOfRedis(table)).map(({ store }) => store));
  return { tables: tables.filter(({ store }) => sql.has(store)), unread: byState.filter((one) => one === undefined).length };
}

function isOfRedis({ name, columns }: Table): boolean {
  const known = REDIS_TABLES.get(name.replace(/^db\d+_/, ""))?.split(" ");
  return known !== undefined && columns.every((column) => known.includes(column));
}

interface Changed {
  readonly added: string[];
  readonly removed: string[];
}

/** Reads added and removed rows from the lines that describe a state. Returns them by store and table; `undefined` if a line was cut. */
function tablesIn(lines: readonly string[]): Map<string, Changed> | undefined {
  const tables = new Map<string, Changed>();
  for (const line of lines) {
    if (CUT.test(line) && !/^(?:context|clients)\b/.test(line)) return undefined;
    const [, store, table, sign, cells] = ROW.exec(line) ?? [];
    if (store === undefined) continue;
    const name = `${store} ${table}`;
    const changed = tables.get(name) ?? { added: [], removed: [] };
    tables.set(name, changed);
    changed[sign === "+" ? "added" : "removed"].push(cells!);
  }
  return tables;
}

function tableOf(named: string, base: readonly string[], byState: readonly (Map<string, Changed> | undefined)[]): Table {
  const [store, written] = [named.slice(0, named.indexOf(" ")), named.slice(named.indexOf(" ") + 1)];
  const parsed = new Map<string, Map<string, Cell>>();
  const rowOf = (text: string): Row => {
    const row = parsed.get(text) ?? new Map(cellsOf(text).map(([column, cell]) => [unquoted(column), cell]));
    parsed.set(text, row);
    return row;
  };
  const rows = byState.map((tables) => {
    if (tables === undefined) return undefined;
    const { added = [], removed = [] } = tables.get(named) ?? {};
    const left = [...base];
    for (const one of removed) {
      const at = left.indexOf(one);
      // The lines of the root state do not contain this removed row, so the rows of this state are unknown.
      if (at < 0) return undefined;
      left.splice(at, 1);
    }
    return [...left, ...added].map(rowOf);
  });
  const columns = [...new Set([...parsed.values()].flatMap((row) => [...row.keys()]))];
  for (const column of columns.filter((one) => isDecimal(one, [...parsed.values()]))) {
    for (const row of parsed.values()) {
      const decimal = decimalIn(row.get(column) ?? "null");
      if (decimal !== undefined) row.set(column, decimal);
    }
  }
  const name = written
    .split(/\.(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .map(unquoted)
    .join(".");
  return { store, name, columns, key: keyOf(columns, rows), rows };
}

function unquoted(name: string): string {
  try {
    return name.startsWith('"') ? String(JSON.parse(name)) : name;
  } catch {
    return name;
  }
}

/**
 * Returns `true` for a column of decimal numbers. Databases return such numbers as text. Numbers without a fraction, such as `"007"`, may be codes, so
 * a column with such texts is none.
 */
function isDecimal(column: string, rows: readonly Row[]): boolean {
  const cells = rows.map((row) => row.get(column) ?? "null").filter((cell) => !isNull(cell) && numberIn(cell) === undefined);
  return cells.length > 0 && !/version/i.test(column) && cells.every((cell) => decimalIn(cell) !== undefined);
}

/** Returns the column whose values are unique in every state, preferably `id`. */
function keyOf(columns: readonly string[], rows: Table["rows"]): string | undefined {
  const isKey = (column: string): boolean =>
    rows.every(
      (all) => all === undefined || (all.every((row) => row.has(column)) && new Set(all.map((row) => row.get(column))).size === all.length),
    );
  const named = columns.toSorted(
    (a, b) => Number(/^id$/i.test(b)) - Number(/^id$/i.test(a)) || Number(/id$/i.test(b)) - Number(/id$/i.test(a)),
  );
  return named.find((column) => /id$|^(?:key|code|name|email|item|sku|token|number|slug|uuid)$/i.test(column) && isKey(column));
}
