import type { StatesOfRun } from "../../run-log/index.ts";
import { isNull, numberIn, textIn, type Cell } from "../rows/cells.ts";
import { readRows, type Row, type Table } from "../rows/explored-rows.ts";
import { renamings } from "../rows/placeholders.ts";
import { rowChanges, type RowChanges, type UnpairedStep } from "../rows/row-changes.ts";
import { objectLiteral, literal } from "./candidate.ts";

/** A table with the data for finding rules: its columns, grouped by the kind of their values, and the rows that each step changed. */
export interface ExploredTable extends Table {
  readonly changes: readonly RowChanges[];
  /** The steps that replaced several rows with generated keys. These steps are not in `changes`. */
  readonly unpaired: readonly UnpairedStep[];
  /** The columns whose values are keys of another table in every state, each with the name of the other table. */
  readonly references: ReadonlyMap<string, string>;
  /** The columns in `references` that were found only by their values, because their names do not suggest the other table. */
  readonly guessed: ReadonlySet<string>;
  /** The columns with amounts: numbers that are neither keys nor references nor flags (0 and 1). */
  readonly numbers: readonly string[];
  /** The columns with few distinct words, such as statuses, each with the list of its words. */
  readonly words: ReadonlyMap<string, readonly string[]>;
  /** The columns that are `NULL` in some rows and not `NULL` in others. */
  readonly emptied: readonly string[];
  /** `true` if several stores have tables. The code of a rule must then name its store. */
  readonly isOneOfSeveral: boolean;
}

/** An exploration without the steps that broke its rules, because steps with defects do not show the intended behaviour. */
export interface Explored {
  readonly of: StatesOfRun;
  readonly tables: readonly ExploredTable[];
  /** The number of states in which the rows of some tables are unknown, because the run log does not contain them completely. */
  readonly unread: number;
  /** The number of states that can only be reached by a step that broke a rule. */
  readonly violating: number;
}

/** The largest number of distinct words in a column of statuses. */
const MOST_WORDS = 8;
const WORD = /^[A-Za-z][A-Za-z_-]{0,29}$/;

export function explored(all: StatesOfRun): Explored {
  const reached = reachedWithoutFinding(all);
  const isViolating = (node: number): boolean => !reached.has(node);
  const of: StatesOfRun = { ...all, steps: all.steps.filter(({ isFinding }) => !isFinding) };
  const { tables: every, unread } = readRows(of);
  const tables = every.map((table) => ({ ...table, rows: table.rows.map((rows, node) => (isViolating(node) ? undefined : rows)) }));
  const stores = new Set(tables.map(({ store }) => store));
  const renamingOf = renamings(tables);
  return {
    of,
    unread,
    violating: of.states.filter((_state, node) => isViolating(node)).length,
    tables: tables.map((table) => {
      const found = table.columns.flatMap((column) => declaredOf(table, column, tables, of) ?? referencesOf(table, column, tables));
      const references = new Map(found.map(({ column, target }) => [column, target]));
      const others = table.columns.filter((column) => column !== table.key && !isIdName(column) && !references.has(column));
      return {
        ...table,
        references,
        guessed: new Set(found.flatMap(({ column, isGuessed }) => (isGuessed ? [column] : []))),
        ...rowChanges(table, of.steps, renamingOf),
        numbers: others.filter((column) => !REFERENCE_NAME.test(snakeCase(column)) && isAmount(table, column)),
        words: new Map(others.flatMap((column) => wordsOf(table, column))),
        emptied: table.columns.filter((column) => new Set([...cellsIn(table, column)].map(isNull)).size === 2),
        isOneOfSeveral: stores.size > 1,
      };
    }),
  };
}

function reachedWithoutFinding({ steps }: StatesOfRun): ReadonlySet<number> {
  const next = new Map<number, number[]>();
  for (const { from, to, isFinding } of steps) if (!isFinding) (next.get(from) ?? next.set(from, []).get(from)!).push(to);
  const reached = new Set([0]);
  for (const node of reached) for (const to of next.get(node) ?? []) reached.add(to);
  return reached;
}

export function eachRow({ rows }: Table, visit: (row: Row, state: number) => void): void {
  rows.forEach((all, state) => all?.forEach((row) => visit(row, state)));
}

/** Returns a name in snake case, for tests of names: `userId` becomes `user_id`. */
export const snakeCase = (column: string): string => column.replace(/([a-z\d])([A-Z])/g, "$1_$2").toLowerCase();

/** Returns `true` if the name of a column ends like an id, such as `id`, `user_id` or `userId`. */
export const isIdName = (column: string): boolean => /(?:^|_)(?:id|uuid|key)$/.test(snakeCase(column));

/** Matches names (in snake case) of columns with codes and numbers that several rows may share and that may change. */
const SHARED_NAME = /(?:^|_)(?:country|currency|language|locale|postal|zip|area|phone|house|status|error)_(?:code|number)$/;

/** Returns `true` for a name such as `country_code` or `phoneNumber`. Such codes and numbers do not identify a row. */
export const isSharedName = (column: string): boolean => SHARED_NAME.test(snakeCase(column));

export const columnOf = (table: Pick<Table, "name">, column: string): string => `${table.name}.${column}`;

/**
 * Returns the code of a rule's last argument, the options, with a comma before it. The options name the store if several stores have tables. Returns
 * an empty text if there are no options.
 */
export function optionsCode(table: ExploredTable, entries: readonly (readonly [string, string])[] = []): string {
  const all = table.isOneOfSeveral ? [...entries, ["store", literal(table.store)] as const] : entries;
  return all.length === 0 ? "" : `, ${objectLiteral(all)}`;
}

export function cellsIn(table: Table, column: string): ReadonlySet<Cell> {
  const cells = new Set<Cell>();
  eachRow(table, (row) => void cells.add(row.get(column) ?? "null"));
  return cells;
}

/** Matches names of columns that usually refer to another table although they do not end in `_id`. */
const REFERENCE_NAME = /^(?:parent|owner|author|user|member|assignee|creator|customer|account|team|tenant|(?:created|updated)_by)$/i;
/** A text column may be a reference, even if its name does not suggest it, if some state has at least this number of distinct values. */
const FEWEST_VALUES = 2;

interface Reference {
  readonly column: string;
  /** The name of the other table. */
  readonly target: string;
  readonly isGuessed: boolean;
}

/** Returns the table to which a column refers by a foreign key; `undefined` if the schema declares none. */
function declaredOf(
  { store, name }: Table,
  column: string,
  tables: readonly Table[],
  { references }: StatesOfRun,
): readonly Reference[] | undefined {
  const to = references.find((one) => one.store === store && one.table === name && one.column === column)?.to;
  const target = tables.find((one) => one.store === store && one.name === to?.table && one.key === to.column);
  return target === undefined ? undefined : [{ column, target: target.name, isGuessed: false }];
}

/**
 * Returns the tables that a column may refer to. A text column refers to a table if every value is a key of the table. A column of numbers must also
 * have the name of a reference, because small numbers are keys of almost every table.
 */
function referencesOf(table: Table, column: string, tables: readonly Table[]): readonly Reference[] {
  const stem = /^(.+?)_(?:id|uuid)$/.exec(snakeCase(column))?.[1];
  const isNamed = stem !== undefined || REFERENCE_NAME.test(snakeCase(column));
  const values = new Set([...cellsIn(table, column)].filter((cell) => !isNull(cell)));
  const isText = [...values].every((cell) => numberIn(cell) === undefined);
  if (column === table.key || values.size === 0 || !(isNamed || (isText && mostValues(table, column) >= FEWEST_VALUES))) return [];
  const fits = tables.filter(({ store, key }) => store === table.store && key !== undefined);
  const byName = fits.find(
    (other) => other !== table && stem !== undefined && namesOf(other.name).some((name) => stem === name || stem.endsWith(`_${name}`)),
  );
  const target = byName ?? targetByValues(table, column, { fits, isText });
  const isGuessed =
    byName === undefined &&
    ![REFERENCE_NAME, PERSON_NAME, ...(target === table ? [OWN_NAME] : [])].some((one) => one.test(snakeCase(column)));
  return target === undefined ? [] : [{ column, target: target.name, isGuessed }];
}

/**
 * Returns the largest number of distinct values that a column has in a single state. Values are not counted over all states, because different
 * placeholders in different states can stand for the same value.
 */
export function mostValues({ rows }: Table, column: string): number {
  const sizes = rows.map((all) => new Set(all?.map((row) => row.get(column) ?? "null").filter((cell) => !isNull(cell))).size);
  return sizes.reduce((most, size) => Math.max(most, size), 0);
}

/** Matches names of columns that usually refer to another row of their own table. */
const OWN_NAME = /^(?:parent|manager|supervisor|previous|next|original|reply_to|replied_to|replaces|replaced_by)(?:_?id|_?uuid)?$/i;
/** `PERSON_NAME` matches names of columns that usually refer to a person. `PERSONS` matches names of tables whose rows are persons. */
const PERSON_NAME = /(?:^|_)(?:owner|author|user|assignee|creator|sender|recipient|(?:created|updated|changed)_by)(?:_?id|_?uuid)?$/i;
const PERSONS = /^(?:users?|accounts?|members?|customers?|people|persons?)$/i;

/**
 * Finds the table to which a column refers by its values. A column of numbers refers to a table only if no other table fits, or if its name suggests
 * the table, because small numbers are keys of almost every table.
 */
function targetByValues(
  table: Table,
  column: string,
  { fits, isText }: { readonly fits: readonly Table[]; readonly isText: boolean },
): Table | undefined {
  const within = fits.filter((other) => isWithin(table, column, other));
  const own = within.find((other) => other === table);
  if (own !== undefined && OWN_NAME.test(snakeCase(column))) return own;
  const others = within.filter((other) => other !== table);
  if (isText) return others[0] ?? own;
  const persons = PERSON_NAME.test(snakeCase(column))
    ? others.filter(({ name }) => PERSONS.test(name.slice(name.lastIndexOf(".") + 1)))
    : [];
  if (persons.length === 1) return persons[0];
  return within.length === 1 ? within[0] : undefined;
}

/** Returns `true` if, in every state, each value of a column is a key of the other table. */
function isWithin(table: Table, column: string, { key, rows }: Table): boolean {
  return table.rows.every((all, state) => {
    if (all === undefined) return true;
    const known = new Set(rows[state]?.map((row) => row.get(key!)));
    return all.every((row) => isNull(row.get(column) ?? "null") || known.has(row.get(column)));
  });
}

/** Returns the column names (without the ending `_id`) that suggest a reference to a table: `orders` and `order` for the table `orders`. */
export function namesOf(table: string): readonly string[] {
  const name = snakeCase(table.slice(table.lastIndexOf(".") + 1));
  return [name, name.replace(/ies$/, "y"), name.replace(/s$/, ""), name.replace(/es$/, "")];
}

function isAmount(table: Table, column: string): boolean {
  const values = new Set([...cellsIn(table, column)].filter((cell) => !isNull(cell)));
  const isYesNo = [...values].every((cell) => cell === "0" || cell === "1");
  return values.size > 0 && !isYesNo && [...values].every((cell) => numberIn(cell) !== undefined);
}

/** Matches names of columns that usually contain free text or codes, but not statuses. */
const FREE_NAME = /(?:^|_)(?:name|title|text|body|description|note|comment|e?mail|color|label|address|city|url|token|code|currency)$/i;

function wordsOf(table: Table, column: string): readonly (readonly [string, readonly string[]])[] {
  if (FREE_NAME.test(snakeCase(column))) return [];
  const words = new Set<string>();
  let isOne = true;
  eachRow(table, (row) => {
    const word = textIn(row.get(column) ?? "null");
    if (word === undefined || !WORD.test(word) || words.size > MOST_WORDS) isOne = false;
    else words.add(word);
  });
  return isOne && words.size > 1 && words.size <= MOST_WORDS ? [[column, [...words].toSorted()]] : [];
}
