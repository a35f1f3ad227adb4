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
  /** The column whose values are unique in every state; `undefined` if there is no such column. */
  readonly key: string | undefined;
  /** The columns of exact decimal numbers. Other numbers with a fraction are floating-point numbers. */
  readonly decimals: ReadonlySet<string>;
  /** The rows of the table, by the index of the state; `undefined` for a state whose rows are unknown. */
  readonly rows: readonly (readonly Row[] | undefined)[];
}

export interface ExploredRows {
  readonly tables: readonly Table[];
  /** The number of states in which the rows of some tables are unknown, because the run log does not contain them completely. */
  readonly unread: number;
}

/** Matches a line that describes a row: `systems.db.orders + {id: 1, status: "paid"}`. Names with special characters are quoted. */
const ROW = /^systems\.([\w$-]+)\.((?:[\w$-]+|"(?:[^"\\]|\\.)*")(?:\.(?:[\w$-]+|"(?:[^"\\]|\\.)*"))*) ([+-]) \{(.*)\}$/s;
/** Matches the end of a line that was cut because of its length. `MORE` matches the last line of a list of lines that was cut. */
const CUT = /\.\.\. \(\d+ characters\)$/;
const MORE = /^\.\.\. and \d+ more lines$/;
/** Runs store at most this number of lines of the root state (`bring-up/root-state.ts`). A longer list is cut, and nothing shows that it was cut. */
const ROOT_LINES = 2000;
/** Matches the store and table of a row line, also if the line was cut. */
const ROW_TABLE = /^systems\.([\w$-]+)\.((?:[\w$-]+|"(?:[^"\\]|\\.)*")(?:\.(?:[\w$-]+|"(?:[^"\\]|\\.)*"))*) [+-] \{/;

/** Maps each table in which seqqa shows the content of Redis stores and BullMQ queues to the columns of the table. */
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
 * Reads the rows of every state. Stores of Redis and BullMQ are left out, because rules about rows only read SQL stores. The lines of a state list
 * only the rows that were added (`+`) or removed (`-`) since the root state.
 */
export function readRows({ root, states }: Pick<StatesOfRun, "root" | "states">): ExploredRows {
  const ofRoot = tablesIn(root, root.length >= ROOT_LINES);
  const byState = states.map(({ lines }) => (lines === undefined ? undefined : tablesIn(lines)));
  const names = new Set([ofRoot, ...byState].flatMap((found) => [...(found?.tables.keys() ?? [])]));
  const all = [...names].toSorted().map((name) => tableOf(name, ofRoot, byState));
  const tables = all.filter(({ columns }) => columns.length > 0);
  const sql = new Set(tables.filter((table) => !isOfRedis(table)).map(({ store }) => store));
  const shown = all.filter((table) => sql.has(table.store) || !isOfRedis(table));
  const isUnread = (state: number): boolean => byState[state] === undefined || shown.some(({ rows }) => rows[state] === undefined);
  return { tables: tables.filter(({ store }) => sql.has(store)), unread: states.filter((_, state) => isUnread(state)).length };
}

function isOfRedis({ name, columns }: Table): boolean {
  const known = REDIS_TABLES.get(name.replace(/^db\d+_/, ""))?.split(" ");
  return known !== undefined && columns.every((column) => known.includes(column));
}

interface Changed {
  readonly added: string[];
  readonly removed: string[];
  /** `true` if the line of a row was shortened, so that not all rows of the table are known. */
  isCut: boolean;
}

/** The rows that the text lines of a state describe, by store and table. */
interface Lines {
  readonly tables: ReadonlyMap<string, Changed>;
  /** `true` if lines of other tables may be missing. */
  readonly isCut: boolean;
}

/** Reads added and removed rows from the lines that describe a state. The lines are sorted, so a list that was cut ends in an incomplete table. */
function tablesIn(lines: readonly string[], isCut = MORE.test(lines.at(-1) ?? "")): Lines {
  const tables = new Map<string, Changed>();
  let last: Changed | undefined;
  for (const line of lines) {
    const [, store, table] = ROW_TABLE.exec(line) ?? [];
    if (store === undefined) continue;
    const name = `${store} ${table}`;
    last = tables.get(name) ?? { added: [], removed: [], isCut: false };
    tables.set(name, last);
    const [, , , sign, cells] = ROW.exec(line) ?? [];
    if (sign === undefined || CUT.test(line)) last.isCut = true;
    else last[sign === "+" ? "added" : "removed"].push(cells!);
  }
  if (isCut && last !== undefined) last.isCut = true;
  return { tables, isCut };
}

/** Returns the lines of a table; `undefined` if some lines are missing. */
function linesOf(named: string, lines: Lines | undefined): Changed | undefined {
  if (lines === undefined) return undefined;
  const found = lines.tables.get(named) ?? { added: [], removed: [], isCut: lines.isCut };
  return found.isCut ? undefined : found;
}

function tableOf(named: string, ofRoot: Lines, byState: readonly (Lines | undefined)[]): Table {
  const base = linesOf(named, ofRoot)?.added;
  const [store, written] = [named.slice(0, named.indexOf(" ")), named.slice(named.indexOf(" ") + 1)];
  const parsed = new Map<string, Map<string, Cell>>();
  const rowOf = (text: string): Row => {
    const row = parsed.get(text) ?? new Map(cellsOf(text).map(([column, cell]) => [unquoted(column), cell]));
    parsed.set(text, row);
    return row;
  };
  const rows = byState.map((tables) => {
    const lines = linesOf(named, tables);
    if (lines === undefined || base === undefined) return undefined;
    const { added, removed } = lines;
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
  const decimals = new Set(columns.filter((one) => isDecimal(one, [...parsed.values()])));
  for (const column of decimals) {
    for (const row of parsed.values()) {
      const decimal = decimalIn(row.get(column) ?? "null");
      if (decimal !== undefined) row.set(column, decimal);
    }
  }
  const name = written
    .split(/\.(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .map(unquoted)
    .join(".");
  return { store, name, columns, key: keyOf(columns, rows), decimals, rows };
}

function unquoted(name: string): string {
  try {
    return name.startsWith('"') ? String(JSON.parse(name)) : name;
  } catch {
    return name;
  }
}

/**
 * Returns `true` for a column of decimal numbers. Databases return such numbers as text. Numbers without a fraction, such as `"007"`, may be codes,
 * so a column with such texts is not a decimal column.
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
