import { SqlNames } from "../rules/rows/table-names.ts";
import { cellsIn, numberIn, textIn, type ExploredTable } from "../suggest/index.ts";

export type LiveRow = Readonly<Record<string, unknown>>;

export interface Corruption {
  /** The column whose value is made wrong; `undefined` if a whole row is copied or removed. */
  readonly column: string | undefined;
  /** A name for the way in which data is made wrong, e.g. `another word`, `one more`. */
  readonly kind: string;
  /**
   * Returns the SQL statement that makes the data of `row` wrong, with a description; `undefined` if that is not possible for the row. `all` contains
   * all rows of the table.
   */
  of(row: LiveRow, all: readonly LiveRow[], write: RowWriter): Spoilt | undefined;
}

export interface Spoilt {
  readonly sql: string;
  /** A description of the wrong data, e.g. `status "paid" becomes "shipped"`. */
  readonly what: string;
}

export class RowWriter {
  readonly #names: SqlNames;
  readonly #table: ExploredTable;

  constructor(table: ExploredTable, systems: Readonly<Record<string, unknown>>) {
    this.#table = table;
    this.#names = new SqlNames("strength", systems, table.store);
  }

  get from(): string {
    return this.#names.table({ table: this.#table.name, column: "" });
  }

  set(row: LiveRow, column: string, value: unknown): string {
    return `UPDATE ${this.from} SET ${this.#names.name(column)} = ${this.#value(value)} WHERE ${this.#where(row)}`;
  }

  remove(row: LiveRow): string {
    return `DELETE FROM ${this.from} WHERE ${this.#where(row)}`;
  }

  /** An SQL query for the generated columns of the table, as rows with `name`. Statements cannot write such columns. */
  get generatedColumns(): string {
    const { name } = this.#names.store;
    if (name === "sqlite") return `SELECT name FROM pragma_table_xinfo(${this.#names.literal(this.#table.name)}) WHERE hidden IN (2, 3)`;
    if (name === "postgres")
      return `SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass(${this.#names.literal(this.from)}) AND attgenerated <> ''`;
    return `SELECT COLUMN_NAME AS name FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ${this.#names.literal(this.#table.name)} AND GENERATION_EXPRESSION <> ''`;
  }

  /** Returns an SQL statement that inserts a copy of a row. @param key the key of the copy */
  double(row: LiveRow, key: unknown): string {
    const columns = Object.keys(row);
    const values = columns.map((column) => (column === this.#table.key ? this.#value(key) : this.#names.name(column)));
    const names = columns.map((column) => this.#names.name(column));
    // Without this clause, PostgreSQL refuses a value for an identity column that is declared `GENERATED ALWAYS`.
    const overriding = this.#names.store.name === "postgres" ? " OVERRIDING SYSTEM VALUE" : "";
    return `INSERT INTO ${this.from} (${names.join(", ")})${overriding} SELECT ${values.join(", ")} FROM ${this.from} WHERE ${this.#where(row)}`;
  }

  #where(row: LiveRow): string {
    return `${this.#names.name(this.#table.key!)} = ${this.#value(row[this.#table.key!])}`;
  }

  #value(value: unknown): string {
    if (value === null || value === undefined) return "NULL";
    if (value instanceof Uint8Array) {
      const hex = Buffer.from(value).toString("hex");
      return this.#names.store.name === "postgres" ? `'\\x${hex}'` : `x'${hex}'`;
    }
    return this.#names.literal(typeof value === "bigint" ? String(value) : (value as string | number | boolean));
  }
}

/**
 * Returns the possible ways to make the data of a table wrong, for example a wrong status, a number off by one, or a removed row. Used to measure if
 * rules notice wrong data. The ways depend on the values in the columns.
 */
export function corruptions(table: ExploredTable): readonly Corruption[] {
  const { key } = table;
  // `isDrawn`: the values are generated ids or times. The description does not show such values, because they differ in each run.
  const change = (column: string, kind: string, to: (value: unknown, all: readonly LiveRow[]) => unknown, isDrawn = false): Corruption => ({
    column,
    kind,
    of: (row, all, write) => {
      // Generated columns are missing in the row, because they cannot be changed.
      const value = Object.hasOwn(row, column) ? to(row[column], all) : undefined;
      if (value === undefined || value === row[column]) return undefined;
      return {
        sql: write.set(row, column, value),
        what: `${column}${isDrawn ? "" : ` ${JSON.stringify(row[column] ?? null)}`} becomes ${isDrawn && value !== null ? "the value of another row" : JSON.stringify(value)}`,
      };
    },
  });
  return [
    ...[...table.words].flatMap(([column, words]) =>
      words.map((word) => change(column, "another word", (value) => (value === word || value === null ? undefined : word))),
    ),
    ...table.numbers.flatMap((column) =>
      [1, -1].map((by) =>
        change(column, by > 0 ? "one more" : "one less", (value) => {
          const known = number(value);
          return known === undefined ? undefined : known + by;
        }),
      ),
    ),
    ...table.emptied.flatMap((column) => [
      change(column, "nothing", (value) => (value === null || value === undefined ? undefined : null)),
    ]),
    ...[...table.references].flatMap(([column]) => [
      change(
        column,
        "another reference",
        (value, all) => {
          const seen = [...cellsIn(table, column)].flatMap((cell) => numberIn(cell) ?? textIn(cell) ?? []);
          return [...all.map((row) => row[column]), ...seen].find((one) => one !== null && String(one) !== String(value));
        },
        true,
      ),
    ]),
    ...(key === undefined
      ? []
      : [
          {
            column: undefined,
            kind: "a row missing",
            of: (row: LiveRow, _all: readonly LiveRow[], write: RowWriter) => ({
              sql: write.remove(row),
              what: `a row of ${table.name} is missing`,
            }),
          },
          {
            column: undefined,
            kind: "a row doubled",
            of: (row: LiveRow, all: readonly LiveRow[], write: RowWriter) => {
              const next = freshKey(
                row[key],
                all.map((one) => one[key]),
              );
              if (next === undefined) return undefined;
              return { sql: write.double(row, next), what: `a row of ${table.name} is duplicated` };
            },
          },
        ]),
  ];
}

const number = (value: unknown): number | undefined =>
  value === null || value === undefined || typeof value === "object" || Number.isNaN(Number(value)) ? undefined : Number(value);

/**
 * Returns a key that no row has: the next number, or a key of the same form as `key`. Returns `undefined` if no such key was found. The same
 * arguments always give the same result.
 */
function freshKey(key: unknown, all: readonly unknown[]): unknown {
  const ids = all.map(number);
  if (ids.every((id) => id !== undefined)) return Math.max(...ids) + 1;
  const taken = new Set(all.map(textOf));
  let next = key;
  // Try as many keys as there are rows. The key of this row is not among the tried keys. If these are all different, at least one of them is
  // therefore free.
  for (const _ of all) {
    next = successor(next);
    if (!taken.has(textOf(next))) return next;
  }
  return undefined;
}

const textOf = (key: unknown): string => (key instanceof Uint8Array ? Buffer.from(key).toString("hex") : String(key)).toLowerCase();

/**
 * Returns another key of the same form: a UUID whose last group is increased by one, a binary key increased by one, or a text with `-2` at its end.
 */
function successor(key: unknown): unknown {
  if (key instanceof Uint8Array) return Buffer.from(oneMore(Buffer.from(key).toString("hex")), "hex");
  const text = String(key);
  return UUID.test(text) ? `${text.slice(0, -12)}${oneMore(text.slice(-12))}` : `${text}-2`;
}

/** Adds one to a hexadecimal number, without changing its number of digits. The result for the largest number is zero. */
const oneMore = (digits: string): string => (BigInt(`0x0${digits}`) + 1n).toString(16).padStart(digits.length, "0").slice(-digits.length);

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
