import type { StatesOfRun } from "../../run-log/index.ts";
import { isNull, numberIn, textIn, type Cell } from "../rows/cells.ts";
import { readRows, type Row, type Table } from "../rows/explored-rows.ts";
import { rowChanges, type RowChanges } from "../rows/row-changes.ts";
import { objectLiteral, literal } from "./candidate.ts";

/** A table with what rules are made of: its columns by the kind of their values, and its changes. */
export interface ExploredTable extends Table {
  readonly changes: readonly RowChanges[];
  /** Columns of amounts: numbers that are neither a key nor a reference. */
  readonly numbers: readonly string[];
  /** Columns of a few words each, as statuses are: with their words. */
  readonly words: ReadonlyMap<string, readonly string[]>;
  /** `true` where the World has another store with tables: rules have to name theirs. */
  readonly isOneOfSeveral: boolean;
}

/** An exploration without what broke its rules: a defect is no example of what is meant. */
export interface Explored {
  readonly of: StatesOfRun;
  readonly tables: readonly ExploredTable[];
  /** Number of states whose rows are not known. */
  readonly unread: number;
  /** Number of states that only steps which broke a rule lead to. */
  readonly violating: number;
}

/** Largest number of words that a column of statuses has. */
const MOST_WORDS = 8;
const LONGEST_WORD = 30;

/** Reads the tables of an exploration. */
export function explored(all: StatesOfRun): Explored {
  const reached = new Set(all.steps.flatMap(({ to, isFinding }) => (isFinding ? [] : [to])));
  const isViolating = (node: number): boolean => node > 0 && !reached.has(node);
  const of: StatesOfRun = { ...all, steps: all.steps.filter(({ isFinding }) => !isFinding) };
  const { tables: every, unread } = readRows(of);
  const tables = every.map((table) => ({ ...table, rows: table.rows.map((rows, node) => (isViolating(node) ? undefined : rows)) }));
  const stores = new Set(tables.map(({ store }) => store));
  return {
    of,
    unread,
    violating: of.states.filter((_state, node) => isViolating(node)).length,
    tables: tables.map((table) => ({
      ...table,
      changes: rowChanges(table, of.steps),
      numbers: table.columns.filter((column) => isAmount(table, column)),
      words: new Map(table.columns.flatMap((column) => wordsOf(table, column))),
      isOneOfSeveral: stores.size > 1,
    })),
  };
}

/** Visits every row of every state. */
export function eachRow({ rows }: Table, visit: (row: Row, state: number) => void): void {
  rows.forEach((all, state) => all?.forEach((row) => visit(row, state)));
}

/** `true` for the names of columns that hold an id of their own row or of another one. */
export const isIdName = (column: string): boolean => /(?:^|_)(?:id|uuid|key)$|[a-z](?:Id|ID|Uuid|Key)$/.test(column);

/** Returns `orders.status`. */
export const columnOf = (table: Table, column: string): string => `${table.name}.${column}`;

/** Writes the last argument of a rule: its options, with the store where that is needed; nothing if there are none. */
export function optionsCode(table: ExploredTable, entries: readonly (readonly [string, string])[] = []): string {
  const all = table.isOneOfSeveral ? [...entries, ["store", literal(table.store)] as const] : entries;
  return all.length === 0 ? "" : `, ${objectLiteral(all)}`;
}

function isAmount(table: Table, column: string): boolean {
  if (column === table.key || isIdName(column)) return false;
  let [known, isOne] = [0, true];
  eachRow(table, (row) => {
    const cell = row.get(column) ?? "null";
    if (isNull(cell)) return;
    known++;
    if (numberIn(cell) === undefined) isOne = false;
  });
  return isOne && known > 0;
}

function wordsOf(table: Table, column: string): readonly (readonly [string, readonly string[]])[] {
  const words = new Set<string>();
  let isOne = column !== table.key && !isIdName(column);
  eachRow(table, (row) => {
    const word: string | undefined = textIn(row.get(column) ?? ("null" as Cell));
    if (word === undefined || word.length > LONGEST_WORD || words.size > MOST_WORDS) isOne = false;
    else words.add(word);
  });
  return isOne && words.size > 1 && words.size <= MOST_WORDS ? [[column, [...words].toSorted()]] : [];
}
