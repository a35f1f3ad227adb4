import { SqlNames } from "../rules/rows/table-names.ts";
import { cellsIn, numberIn, textIn, type ExploredTable } from "../suggest/index.ts";

export type LiveRow = Readonly<Record<string, unknown>>;

export interface Corruption {
  /** The column whose value is made wrong; `undefined` if the whole row is copied or removed. */
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

  /** Returns an SQL statement that inserts a copy of a row. @param key the key of the copy */
  double(row: LiveRow, key: unknown): string {
    const columns = Object.keys(row);
    const values = columns.map((column) => (column === this.#table.key ? this.#value(key) : this.#names.name(column)));
    const names = columns.map((column) => this.#names.name(column));
    return `INSERT INTO ${this.from} (${names.join(", ")}) SELECT ${values.join(", ")} FROM ${this.from} WHERE ${this.#where(row)}`;
  }

  #where(row: LiveRow): string {
    return `${this.#names.name(this.#table.key!)} = ${this.#value(row[this.#table.key!])}`;
  }

  #value(value: unknown): string {
    if (value === null || value === undefined) return "NULL";
    return this.#names.literal(typeof value === "bigint" ? String(value) : (value as string | number | boolean));
  }
}

/**
 * Returns ways to make the data of a table wrong, for testing the rules: for example, a wrong status, a number off by one, or a removed row. The ways
 * depend on the values in the columns.
 */
export function corruptions(table: ExploredTable): readonly Corruption[] {
  const { key } = table;
  // `isDrawn`: the values are generated ids or times. They differ in each run, so the description leaves them out.
  const change = (column: string, kind: string, to: (value: unknown, all: readonly LiveRow[]) => unknown, isDrawn = false): Corruption => ({
    column,
    kind,
    of: (row, all, write) => {
      const value = to(row[column], all);
      if (value === undefined || value === row[column]) return undefined;
      return {
        sql: write.set(row, column, value),
        what: `${column}${isDrawn ? "" : ` ${JSON.stringify(row[column] ?? null)}`} becomes ${isDrawn && value !== null ? "the value of another row" : JSON.stringify(value)}`,
      };
    },
  });
  const number = (value: unknown): number | undefined =>
    value === null || value === undefined || Number.isNaN(Number(value)) ? undefined : Number(value);
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
              const ids = all.map((one) => number(one[key]));
              const next = ids.every((id) => id !== undefined) ? Math.max(...ids) + 1 : `${String(row[key])}-2`;
              return { sql: write.double(row, next), what: `a row of ${table.name} is duplicated` };
            },
          },
        ]),
  ];
}
