import { SeqqaError } from "../../model/errors.ts";
import { nearest } from "../../model/text/nearest.ts";
import type { StoreAdapter } from "../../model/stores/store-adapter.ts";

/** A store that answers SQL queries. */
export interface SqlStore extends Pick<StoreAdapter, "name" | "schema"> {
  query(sql: string, params?: readonly unknown[]): RowsOf;
}
type Row = Readonly<Record<string, unknown>>;
type RowsOf = readonly Row[] | Promise<readonly Row[]>;

/** A column with its table, as the user named it: `orders.status`, or `shop.orders.status` with a schema. */
export interface ColumnName {
  readonly table: string;
  readonly column: string;
  /** A sentence that the error contains if the column does not exist. */
  readonly remedy?: string;
}

/**
 * Returns the value of a column of a row. Upper and lower case of the name may differ from the declaration, because SQLite and MariaDB accept this,
 * but rows have the declared names.
 */
export function cellOf(row: Row, column: string): unknown {
  if (Object.hasOwn(row, column)) return row[column];
  const wanted = column.toLowerCase();
  return row[Object.keys(row).find((name) => name.toLowerCase() === wanted) ?? column];
}

/** Parses `table.column`. The error message contains the name `rule`. @throws SeqqaError `RULE_INVALID` if the text has another form */
export function columnName(rule: string, text: unknown): ColumnName {
  const at = typeof text === "string" ? text.lastIndexOf(".") : -1;
  const [table, column] = [String(text).slice(0, Math.max(at, 0)), String(text).slice(at + 1)];
  if (at > 0 && column !== "" && !/["`\0]/.test(String(text))) return { table, column };
  throw new SeqqaError("RULE_INVALID", `${rule}: ${JSON.stringify(text)} is not a table and column.`, {
    exitStatus: 2,
    hint: 'Write <table>.<column>, for example "orders.status".',
  });
}

/** Finds the SQL store of a world, and quotes names and values for that store. An instance is used for one check of a rule. */
export class SqlNames {
  readonly store: SqlStore;
  readonly #rule: string;
  readonly #quote: string;
  /** `true` after PostgreSQL refused to compare the values of a query, because it has no operator for their types. */
  #casts = false;

  /**
   * @param wanted The name of the store in the World; required only if there are several SQL stores.
   * @throws SeqqaError `RULE_INVALID` if there is no such store
   */
  constructor(rule: string, systems: Readonly<Record<string, unknown>>, wanted: string | undefined) {
    this.#rule = rule;
    const all = Object.entries(systems).filter((entry): entry is [string, SqlStore] => isSql(entry[1]));
    const names = all.map(([name]) => name);
    const found = wanted === undefined ? all : all.filter(([name]) => name === wanted);
    const [one, ...others] = found;
    if (one === undefined || others.length > 0) {
      const known =
        names.length === 0
          ? "The World has no SQL store. Declare a SQL store with `db_url` or `systems`."
          : `SQL stores of the World: ${names.join(", ")}.`;
      const problem =
        wanted !== undefined
          ? `the World has no SQL store "${wanted}"`
          : others.length > 0
            ? "the World has several SQL stores"
            : "there is no store with rows";
      throw invalid(
        rule,
        problem,
        others.length > 0 ? `${known} Name the store in the options of the rule: { store: "${names[0]}" }.` : known,
      );
    }
    this.store = one[1];
    this.#quote = this.store.name === "mysql" ? "`" : '"';
  }

  /** Quotes the name of a table, with its schema if the table has a schema. */
  table({ table }: ColumnName): string {
    return table
      .split(".")
      .map((part) => this.name(part))
      .join(".");
  }

  /** Quotes a value. In MySQL, a backslash in a text is an escape character and is doubled. */
  literal(value: string | number | boolean): string {
    if (typeof value !== "string") return String(value);
    const text = value.replaceAll("'", "''");
    return `'${this.store.name === "mysql" ? text.replaceAll("\\", "\\\\") : text}'`;
  }

  /** Returns the SQL expression for the sum of a column. Sums of integers in SQLite are texts, because numbers beyond 2^53 would be rounded. */
  sum({ column }: ColumnName): string {
    const sum = `SUM(${this.name(column)})`;
    return this.store.name === "sqlite" ? `CASE typeof(${sum}) WHEN 'integer' THEN CAST(${sum} AS TEXT) ELSE ${sum} END` : sum;
  }

  name(text: string): string {
    return `${this.#quote}${text.replaceAll(this.#quote, `${this.#quote}${this.#quote}`)}${this.#quote}`;
  }

  /** Returns an SQL condition that tests if two columns of different tables have the same value. */
  same(left: string, right: string): string {
    return this.#casts ? `CAST(${left} AS text) = CAST(${right} AS text)` : `${left} = ${right}`;
  }

  /** Returns an SQL expression with the number in a column. The type `money` of PostgreSQL cannot be compared with numbers. */
  amount(expression: string): string {
    return this.#casts ? `CAST(${expression} AS numeric)` : expression;
  }

  /**
   * Returns the rows of a query. If a table or column in `named` does not exist, the error contains its name. PostgreSQL has no operator that
   * compares certain types, such as uuid and varchar, or money and integer. If the columns in {@link same} or {@link amount} have such types, `sql` is
   * called a second time, and the columns are compared as text, or as numbers.
   * @throws SeqqaError `RULE_INVALID`, and errors of the store
   */
  async rows(sql: string | (() => string), named: readonly ColumnName[]): Promise<readonly Row[]> {
    const query = typeof sql === "string" ? () => sql : sql;
    try {
      return await this.store.query(query());
    } catch (error) {
      await this.#requireColumns(named);
      if (this.#casts || !isWithoutOperator(error)) throw error;
      this.#casts = true;
      return this.store.query(query());
    }
  }

  async #requireColumns(named: readonly ColumnName[]): Promise<void> {
    const tables = await this.store.schema?.();
    if (tables === undefined) return;
    for (const { table, column, remedy } of named) {
      const found = tables.find(({ name }) => name.toLowerCase() === table.toLowerCase());
      if (found === undefined)
        throw this.#missing(
          `table "${table}"`,
          table,
          tables.map(({ name }) => name),
        );
      if (!found.columns.some((name) => name.toLowerCase() === column.toLowerCase()))
        throw this.#missing(`column "${table}.${column}"`, column, found.columns, remedy);
    }
  }

  /** Returns an error about the data that the rule reads. */
  invalid(problem: string, hint: string): SeqqaError {
    return invalid(this.#rule, problem, hint);
  }

  #missing(what: string, name: string, known: readonly string[], remedy?: string): SeqqaError {
    const close = nearest(name, known);
    const shown = known.slice(0, 20).join(", ");
    const hint = close === undefined ? `Existing names: ${shown}.` : `Did you mean "${close}"?`;
    return this.invalid(`there is no ${what}`, remedy === undefined ? hint : `${hint} ${remedy}`);
  }
}

/** Returns `true` for the error of PostgreSQL that no operator exists for the types of two values. */
function isWithoutOperator(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return (cause as { code?: unknown } | undefined)?.code === "42883";
}

function isSql(store: unknown): store is SqlStore {
  return typeof (store as { query?: unknown } | undefined)?.query === "function";
}

function invalid(rule: string, problem: string, hint: string): SeqqaError {
  return new SeqqaError("RULE_INVALID", `${rule}: ${problem}.`, { exitStatus: 2, hint });
}
