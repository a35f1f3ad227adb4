import type { ApiClient } from "../../model/http/client.ts";
import type { Values } from "../../model/context/context.ts";
import { SeqqaError } from "../../model/errors.ts";
import { Invariant, type CheckResult, type InvariantOptions } from "../../model/declare/invariant.ts";
import { isRoundingError } from "./amounts.ts";
import { cellOf, columnName, SqlNames, type ColumnName } from "./table-names.ts";

/** Options that every rule about rows accepts. */
export interface RowRuleOptions extends Pick<InvariantOptions, "severity" | "blocking" | "when"> {
  /** The name of the store in the World, e.g. `db`. Required only if the World has several SQL stores. */
  readonly store?: string;
  /** The name of the rule. Default: the kind of rule and its columns, e.g. `never_negative_stock_available`. */
  readonly name?: string;
}

const MOST_ROWS = 20;
/**
 * Returns an SQL condition that is true if a number is above another number, and an order in which rows with rounding errors are the last. The numbers
 * are subtracted only if the first number is larger, because MariaDB refuses negative differences of unsigned columns. `+ 0` makes SQLite and MariaDB
 * compare texts as numbers.
 */
function whereAbove(sql: SqlNames, value: string, most: string): string {
  const [number, limit] = [sql.amount(value), sql.amount(most)];
  const isAbove = `${number} + 0 > ${limit} + 0`;
  return `WHERE ${isAbove} ORDER BY CASE WHEN ${isAbove} THEN ${number} - ${limit} ELSE 0 END DESC`;
}

/**
 * Checks that no value of a numeric column is below zero: `neverNegative("stock.available")`. Rows with `NULL` are left out. Severity: HIGH.
 * @throws SeqqaError `RULE_INVALID` if the column is not written as `table.column`
 */
export function neverNegative<C extends object = Values, A = ApiClient>(column: string, options: RowRuleOptions = {}): Invariant<C, A> {
  const rule = `neverNegative("${column}")`;
  const at = columnName(rule, column);
  return rowInvariant(rule, ["never_negative", at], options, {
    columns: [at],
    expected: `${column} >= 0`,
    message: (count) => `${column} is negative in ${rowCount(count)}`,
    actual: (rows) => rows.map((row) => cellOf(row, at.column)),
    sql: (sql) => `SELECT * FROM ${sql.table(at)} WHERE ${sql.amount(sql.name(at.column))} < 0`,
  });
}

/**
 * Checks that no value of a numeric column is above another column of the same row: `neverAbove("orders.refunded", "orders.amount")`. Severity: HIGH.
 * Rows with `NULL` in one of the columns are left out. Integers and decimal numbers are compared exactly. An excess of up to a millionth of a
 * floating-point number counts as a rounding error.
 * @throws SeqqaError `RULE_INVALID` if a column is not written as `table.column`, or the columns are of two tables
 */
export function neverAbove<C extends object = Values, A = ApiClient>(
  column: string,
  limit: string,
  options: RowRuleOptions = {},
): Invariant<C, A> {
  const rule = `neverAbove("${column}", "${limit}")`;
  const [at, most] = [columnName(rule, column), columnName(rule, limit)];
  if (at.table !== most.table) throw ofOneTable(rule, 'neverAbove("orders.refunded", "orders.amount")');
  return rowInvariant(rule, ["never_above", at, most], options, {
    columns: [at, most],
    expected: `${column} <= ${limit}`,
    message: (count) => `${column} is above ${limit} in ${rowCount(count)}`,
    actual: (rows) => rows.map((row) => ({ [column]: cellOf(row, at.column), [limit]: cellOf(row, most.column) })),
    sql: (sql) => `SELECT * FROM ${sql.table(at)} ${whereAbove(sql, sql.name(at.column), sql.name(most.column))}`,
    isCorrect: (row) => isRoundingError(cellOf(row, at.column), cellOf(row, most.column)),
  });
}

/** The values that a column may have: one value, one of several values, or any value except one. */
export type ColumnValue = Scalar | readonly Scalar[] | { readonly not: Scalar };
type Scalar = string | number | boolean | null;

/**
 * Checks that rows with given values in some columns also have given values in other columns. For example, a cancelled order has no shipping date:
 * `implies("orders", { status: "cancelled" }, { shipped_at: null })`. A value is a text, a number, `true`, `false`, `null` (no value), a list of
 * alternatives, or `{ not: value }`. Severity: HIGH.
 * @throws SeqqaError `RULE_INVALID` if the table or one of the sides is missing
 */
export function implies<C extends object = Values, A = ApiClient>(
  table: string,
  when: Readonly<Record<string, ColumnValue>>,
  then: Readonly<Record<string, ColumnValue>>,
  options: RowRuleOptions = {},
): Invariant<C, A> {
  const rule = `implies("${table}")`;
  const [given, wanted] = [when, then].map((side) => Object.entries(side ?? {}));
  if (given!.length === 0 || wanted!.length === 0) {
    throw new SeqqaError("RULE_INVALID", `${rule}: \`when\` or \`then\` contains no column.`, {
      exitStatus: 2,
      hint: 'Write for example: implies("orders", { status: "cancelled" }, { shipped_at: null })',
    });
  }
  const columns = [...given!, ...wanted!].map(([column]) => columnName(rule, `${table}.${column}`));
  const all = (side: readonly (readonly [string, ColumnValue])[], sql: SqlNames): string =>
    side.map(([column, value]) => `(${hasValue(sql, column, value)})`).join(" AND ");
  return rowInvariant(
    rule,
    ["implies", ...columns],
    { name: impliesName(table, when, then), ...options },
    {
      columns,
      expected: `rows of ${table} with ${JSON.stringify(when)} have ${JSON.stringify(then)}`,
      message: (count) =>
        `${rowCount(count)} of ${table} with ${JSON.stringify(when)} ${count === "1" ? "does" : "do"} not match ${JSON.stringify(then)}`,
      actual: (rows) => rows,
      sql: (sql) => `SELECT * FROM ${sql.table(columns[0]!)} WHERE ${all(given!, sql)} AND NOT (${all(wanted!, sql)})`,
    },
  );
}

/** Returns a name for a rule. The name contains the columns and values of the rule, because a table may have several such rules. */
export function impliesName(table: string, ...sides: readonly Readonly<Record<string, ColumnValue>>[]): string {
  return `implies_${table}_${JSON.stringify(sides)}`
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/_$/, "")
    .toLowerCase();
}

/** Returns an SQL condition that tests if a column has one of the given values. The condition is never `NULL`. */
function hasValue(sql: SqlNames, column: string, value: ColumnValue): string {
  const name = sql.name(column);
  if (isList(value)) return value.map((one) => `(${hasValue(sql, column, one)})`).join(" OR ") || "1 = 0";
  if (value === null) return `${name} IS NULL`;
  if (typeof value === "object") return `NOT (${hasValue(sql, column, value.not)})`;
  return `${name} IS NOT NULL AND ${name} = ${sql.literal(value)}`;
}

const isList = (value: ColumnValue): value is readonly Scalar[] => Array.isArray(value);

/** Options of {@link unique}. */
export interface UniqueOptions extends RowRuleOptions {
  /** `true` if upper and lower case count as equal, e.g. in e-mail addresses. Default: the store compares the values. */
  readonly ignoreCase?: boolean;
}

/**
 * Checks that no two rows have the same value in a column, or the same values in several columns of one table: `unique("users.email")`,
 * `unique(["seats.show_id", "seats.number"])`. Rows with `NULL` in one of the columns are left out, as in SQL. Severity: HIGH.
 * @throws SeqqaError `RULE_INVALID` if a column is not written as `table.column`, or the columns are of several tables
 */
export function unique<C extends object = Values, A = ApiClient>(
  columns: string | readonly string[],
  { ignoreCase = false, ...options }: UniqueOptions = {},
): Invariant<C, A> {
  const named = typeof columns === "string" ? [columns] : columns;
  const rule = `unique(${JSON.stringify(columns)})`;
  const all = named.map((column) => columnName(rule, column));
  const [first] = all;
  if (first === undefined || all.some(({ table }) => table !== first.table)) {
    throw ofOneTable(rule, 'unique(["seats.show_id", "seats.number"])');
  }
  return rowInvariant(rule, ["unique", ...all], options, {
    columns: all,
    expected: `at most one row for each ${named.join(", ")}`,
    message: (count) =>
      `${named.join(", ")} is not unique: ${rowCount(count)} ${count === "1" ? "has" : "have"} the same values as other rows`,
    actual: (rows) => rows.map((row) => all.map(({ column }) => cellOf(row, column)).join(", ")),
    sql: (sql) => {
      const compared = ({ column }: ColumnName, of: string): string => {
        const name = `${of}.${sql.name(column)}`;
        return ignoreCase ? `LOWER(${name})` : name;
      };
      const grouped = all.map((one) => compared(one, "each_row")).join(", ");
      const alias = all.map((one, index) => `${compared(one, "each_row")} AS ${sql.name(`value_${index}`)}`).join(", ");
      const twice = `SELECT ${alias} FROM ${sql.table(first)} each_row GROUP BY ${grouped} HAVING COUNT(*) > 1`;
      const joined = all.map((one, index) => `${compared(one, "mine")} = twice.${sql.name(`value_${index}`)}`).join(" AND ");
      return `SELECT mine.* FROM ${sql.table(first)} mine JOIN (${twice}) twice ON ${joined}`;
    },
  });
}

/**
 * Checks that every value of a column exists in another column: `references("orders.user_id", "users.id")`. `NULL` values are left out. Severity:
 * HIGH.
 * @throws SeqqaError `RULE_INVALID` if a column is not written as `table.column`
 */
export function references<C extends object = Values, A = ApiClient>(
  from: string,
  to: string,
  options: RowRuleOptions = {},
): Invariant<C, A> {
  const rule = `references("${from}", "${to}")`;
  const [source, target] = [columnName(rule, from), columnName(rule, to)];
  return rowInvariant(rule, ["references", source, target], options, {
    columns: [source, target],
    expected: `every ${from} refers to an existing ${to}`,
    message: (count) => `in ${rowCount(count)}, ${from} refers to a ${to} that does not exist`,
    actual: (rows) => rows.map((row) => cellOf(row, source.column)),
    sql: (sql) =>
      `SELECT mine.* FROM ${sql.table(source)} mine LEFT JOIN ${sql.table(target)} other ` +
      `ON ${sql.same(`other.${sql.name(target.column)}`, `mine.${sql.name(source.column)}`)} ` +
      `WHERE mine.${sql.name(source.column)} IS NOT NULL AND other.${sql.name(target.column)} IS NULL`,
  });
}

/** Options of {@link sumWithin}. */
export interface SumWithinOptions extends RowRuleOptions {
  /** The column that is summed, e.g. `refunds.amount`. */
  readonly parts: string;
  /** The column that the sum must not exceed, e.g. `payments.amount`. */
  readonly whole: string;
  /** The column in the table of `parts` that refers to a row in the table of `whole`, e.g. `payment_id`. */
  readonly by: string;
  /** The column in the table of `whole` that `by` refers to. Default: `id`. */
  readonly key?: string;
  /** An SQL condition that selects the rows to be summed, e.g. `status <> 'failed'`. Default: all rows. */
  readonly where?: string;
}

/**
 * Checks that a sum does not exceed a limit in another table: `sumWithin({ parts: "refunds.amount", whole: "payments.amount", by: "payment_id" })`.
 * Severity: HIGH. Integers and decimal numbers are compared exactly. An excess of up to a millionth of a floating-point number counts as a rounding
 * error.
 * @throws SeqqaError `RULE_INVALID` if a column is not written as `table.column`
 */
export function sumWithin<C extends object = Values, A = ApiClient>({
  parts,
  whole,
  by,
  key = "id",
  where,
  ...options
}: SumWithinOptions): Invariant<C, A> {
  const rule = `sumWithin({ parts: "${parts}", whole: "${whole}" })`;
  const [part, sum] = [columnName(rule, parts), columnName(rule, whole)];
  const remedy = `The option \`key\` names the column that \`by\` refers to.`;
  const [refers, own] = [columnName(rule, `${part.table}.${by}`), { ...columnName(rule, `${sum.table}.${key}`), remedy }];
  return rowInvariant(rule, ["sum_within", part, sum], options, {
    columns: [part, sum, refers, own],
    expected: `the sum of ${parts} is at most ${whole}`,
    message: (count) => `${parts} add up to more than ${whole} for ${rowCount(count)} of ${sum.table}`,
    actual: (rows) => rows.map((row) => ({ [key]: cellOf(row, key), [whole]: cellOf(row, sum.column), sum: row["sum_of_parts"] })),
    sql: (sql) => {
      const condition = where === undefined ? "" : ` WHERE ${where}`;
      const sums =
        `SELECT ${sql.name(by)} AS whole_key, SUM(${sql.name(part.column)}) AS sum_of_parts ` +
        `FROM ${sql.table(part)}${condition} GROUP BY ${sql.name(by)}`;
      return (
        `SELECT mine.*, sums.sum_of_parts FROM ${sql.table(sum)} mine JOIN (${sums}) sums ` +
        `ON ${sql.same("sums.whole_key", `mine.${sql.name(key)}`)} ` +
        whereAbove(sql, "sums.sum_of_parts", `mine.${sql.name(sum.column)}`)
      );
    },
    isCorrect: (row) => isRoundingError(row["sum_of_parts"], cellOf(row, sum.column)),
  });
}

function ofOneTable(rule: string, example: string): SeqqaError {
  return new SeqqaError("RULE_INVALID", `${rule}: all columns must belong to one table.`, {
    exitStatus: 2,
    hint: `Write for example: ${example}`,
  });
}

interface RowCheck {
  /** The columns that the rule reads. The rule is invalid if a column does not exist. */
  readonly columns: readonly ColumnName[];
  /** Returns the SQL query that selects the rows that break the rule. */
  readonly sql: (names: SqlNames) => string;
  /** Returns `true` for a row that the query selects although it does not break the rule. Such rows must be the last. Default: there are none. */
  readonly isCorrect?: (row: Readonly<Record<string, unknown>>) => boolean;
  readonly expected: string;
  readonly message: (count: string) => string;
  readonly actual: (rows: readonly Readonly<Record<string, unknown>>[]) => unknown;
}

function rowInvariant<C extends object, A>(
  rule: string,
  named: readonly [string, ...ColumnName[]],
  { store, name, ...options }: RowRuleOptions,
  { columns, sql, isCorrect = () => false, expected, message, actual }: RowCheck,
): Invariant<C, A> {
  return new Invariant<C, A>({
    ...options,
    name: name ?? nameOf(named),
    message: `${rule} does not hold`,
    check: async ({ systems }): Promise<boolean | CheckResult> => {
      const names = new SqlNames(rule, systems, store);
      const found = await names.rows(() => `${sql(names)} LIMIT ${MOST_ROWS + 1}`, columns);
      const rows = found.filter((row) => !isCorrect(row));
      if (rows.length === 0) return true;
      const count = rows.length > MOST_ROWS ? `more than ${MOST_ROWS}` : String(rows.length);
      return { ok: false, expected, actual: actual(rows.slice(0, MOST_ROWS)), message: message(count) };
    },
  });
}

/** Returns the name of a rule as one word: `references_orders_user_id_users_id`. */
export function nameOf([kind, ...columns]: readonly [string, ...ColumnName[]]): string {
  return [kind, ...columns.flatMap(({ table, column }) => [table, column])]
    .join("_")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase();
}

const rowCount = (count: string): string => `${count} ${count === "1" ? "row" : "rows"}`;
