import type { ApiClient } from "../../model/http/client.ts";
import type { Values } from "../../model/context/context.ts";
import { SeqqaError } from "../../model/errors.ts";
import { Invariant, type CheckResult, type InvariantOptions } from "../../model/declare/invariant.ts";
import { columnName, SqlNames, type ColumnName } from "./table-names.ts";

/** Options that every rule over rows takes. */
export interface RowRuleOptions extends Pick<InvariantOptions, "severity" | "blocking" | "when"> {
  /** The name of the store in the World, e.g. `db`. Needed only if the World has several SQL stores. */
  readonly store?: string;
  /** Default: made of the rule and its columns, e.g. `never_negative_stock_available`. */
  readonly name?: string;
}

/** The most rows that a rule reads as evidence. */
const MOST_ROWS = 20;
/** Sums of floating-point columns may be off by less than this without a defect. */
const ROUNDING = "0.000001";

/**
 * No value of a number column is below zero: `neverNegative("stock.available")`. Rows with `NULL` are left out. HIGH.
 * @throws SeqqaError `RULE_INVALID` when the column is not written as `table.column`
 */
export function neverNegative<C extends object = Values, A = ApiClient>(column: string, options: RowRuleOptions = {}): Invariant<C, A> {
  const rule = `neverNegative("${column}")`;
  const at = columnName(rule, column);
  return rowInvariant(rule, ["never_negative", at], options, {
    columns: [at],
    expected: `${column} >= 0`,
    message: (count) => `${column} is negative in ${rowCount(count)}`,
    actual: (rows) => rows.map((row) => row[at.column]),
    sql: (sql) => `SELECT * FROM ${sql.table(at)} WHERE ${sql.name(at.column)} < 0`,
  });
}

/**
 * No value of a number column is above that of another column of its row: `neverAbove("orders.refunded", "orders.amount")`. Rows with `NULL` in one of
 * them are left out. A value that is above by less than a millionth is a rounding error. HIGH.
 * @throws SeqqaError `RULE_INVALID` when a column is not written as `table.column`, or they are of two tables
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
    actual: (rows) => rows.map((row) => ({ [column]: row[at.column], [limit]: row[most.column] })),
    sql: (sql) => `SELECT * FROM ${sql.table(at)} WHERE ${sql.name(at.column)} - ${sql.name(most.column)} > ${ROUNDING}`,
  });
}

/** The values that a column may have: one, one of several, or any but one. */
export type ColumnValue = Scalar | readonly Scalar[] | { readonly not: Scalar };
type Scalar = string | number | boolean | null;

/**
 * Rows of a table in which some columns have given values have given values in others, too: a cancelled order has no date of shipping:
 * `implies("orders", { status: "cancelled" }, { shipped_at: null })`. A value is a text, a number, `true`, `false` or `null` (no value), a list of which it
 * is one, or `{ not: value }`. HIGH.
 * @throws SeqqaError `RULE_INVALID` when the table or one of the sides is missing
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
    throw new SeqqaError("RULE_INVALID", `${rule}: one of its sides has no column.`, {
      exitStatus: 2,
      hint: 'For example implies("orders", { status: "cancelled" }, { shipped_at: null }).',
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
        `${rowCount(count)} of ${table} with ${JSON.stringify(when)} ${count === "1" ? "has" : "have"} not ${JSON.stringify(then)}`,
      actual: (rows) => rows,
      sql: (sql) => `SELECT * FROM ${sql.table(columns[0]!)} WHERE ${all(given!, sql)} AND NOT (${all(wanted!, sql)})`,
    },
  );
}

/** Makes a name of the columns and their values: a table may have several of these rules. */
export function impliesName(table: string, ...sides: readonly Readonly<Record<string, ColumnValue>>[]): string {
  return `implies_${table}_${JSON.stringify(sides)}`
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/_$/, "")
    .toLowerCase();
}

/** Returns an SQL condition that is true or false, never unknown. */
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
  /** Upper and lower case are the same, e.g. in e-mail addresses. Default: as the store compares. */
  readonly ignoreCase?: boolean;
}

/**
 * No two rows have the same value in a column, or the same values in several columns of one table: `unique("users.email")`,
 * `unique(["seats.show_id", "seats.number"])`. Rows with `NULL` in one of them are left out, as in SQL. HIGH.
 * @throws SeqqaError `RULE_INVALID` when a column is not written as `table.column`, or the columns are of several tables
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
    message: (count) => `${named.join(", ")} is not unique: ${rowCount(count)} share their values with others`,
    actual: (rows) => rows.map((row) => all.map(({ column }) => row[column]).join(", ")),
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
 * Every value of a column is found in another one: `references("orders.user_id", "users.id")`. `NULL` refers to nothing. HIGH.
 * @throws SeqqaError `RULE_INVALID` when a column is not written as `table.column`
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
    expected: `every ${from} is a ${to}`,
    message: (count) => `${from} refers to a ${to} that does not exist in ${rowCount(count)}`,
    actual: (rows) => rows.map((row) => row[source.column]),
    sql: (sql) =>
      `SELECT mine.* FROM ${sql.table(source)} mine LEFT JOIN ${sql.table(target)} other ` +
      `ON other.${sql.name(target.column)} = mine.${sql.name(source.column)} ` +
      `WHERE mine.${sql.name(source.column)} IS NOT NULL AND other.${sql.name(target.column)} IS NULL`,
  });
}

/** Options of {@link sumWithin}. */
export interface SumWithinOptions extends RowRuleOptions {
  /** The column that is added up, e.g. `refunds.amount`. */
  readonly parts: string;
  /** The column that the sum must not exceed, e.g. `payments.amount`. */
  readonly whole: string;
  /** The column of the parts' table that refers to the whole's row, e.g. `payment_id`. */
  readonly by: string;
  /** The column of the whole's table that `by` refers to; default `id`. */
  readonly key?: string;
  /** An SQL condition that selects the parts that count, e.g. `status <> 'failed'`. Default: all rows. */
  readonly where?: string;
}

/**
 * The parts of a thing are together at most the whole: `sumWithin({ parts: "refunds.amount", whole: "payments.amount", by: "payment_id" })`. A sum that
 * exceeds the whole by less than a millionth is a rounding error. HIGH.
 * @throws SeqqaError `RULE_INVALID` when a column is not written as `table.column`
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
  const [refers, own] = [columnName(rule, `${part.table}.${by}`), columnName(rule, `${sum.table}.${key}`)];
  return rowInvariant(rule, ["sum_within", part, sum], options, {
    columns: [part, sum, refers, own],
    expected: `the sum of ${parts} is at most ${whole}`,
    message: (count) => `${parts} add up to more than ${whole} for ${rowCount(count)} of ${sum.table}`,
    actual: (rows) => rows.map((row) => ({ [key]: row[key], [whole]: row[sum.column], sum: row["sum_of_parts"] })),
    sql: (sql) => {
      const condition = where === undefined ? "" : ` WHERE ${where}`;
      const sums =
        `SELECT ${sql.name(by)} AS whole_key, SUM(${sql.name(part.column)}) AS sum_of_parts ` +
        `FROM ${sql.table(part)}${condition} GROUP BY ${sql.name(by)}`;
      return (
        `SELECT mine.*, sums.sum_of_parts FROM ${sql.table(sum)} mine JOIN (${sums}) sums ON sums.whole_key = mine.${sql.name(key)} ` +
        `WHERE sums.sum_of_parts - mine.${sql.name(sum.column)} > ${ROUNDING}`
      );
    },
  });
}

function ofOneTable(rule: string, example: string): SeqqaError {
  return new SeqqaError("RULE_INVALID", `${rule}: name columns of one table.`, { exitStatus: 2, hint: `For example ${example}.` });
}

interface RowCheck {
  /** The columns that have to exist. */
  readonly columns: readonly ColumnName[];
  /** Returns the query for rows that break the rule. */
  readonly sql: (names: SqlNames) => string;
  readonly expected: string;
  readonly message: (count: string) => string;
  readonly actual: (rows: readonly Readonly<Record<string, unknown>>[]) => unknown;
}

/** Returns an invariant that holds while a query has no rows. */
function rowInvariant<C extends object, A>(
  rule: string,
  named: readonly [string, ...ColumnName[]],
  { store, name, ...options }: RowRuleOptions,
  { columns, sql, expected, message, actual }: RowCheck,
): Invariant<C, A> {
  return new Invariant<C, A>({
    ...options,
    name: name ?? nameOf(named),
    message: `${rule} does not hold`,
    check: async ({ systems }): Promise<boolean | CheckResult> => {
      const names = new SqlNames(rule, systems, store);
      const rows = await names.rows(`${sql(names)} LIMIT ${MOST_ROWS + 1}`, columns);
      if (rows.length === 0) return true;
      const count = rows.length > MOST_ROWS ? `more than ${MOST_ROWS}` : String(rows.length);
      return { ok: false, expected, actual: actual(rows.slice(0, MOST_ROWS)), message: message(count) };
    },
  });
}

/** Makes a name that is one word: `references_orders_user_id_users_id`. */
export function nameOf([kind, ...columns]: readonly [string, ...ColumnName[]]): string {
  return [kind, ...columns.flatMap(({ table, column }) => [table, column])]
    .join("_")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase();
}

const rowCount = (count: string): string => `${count} ${count === "1" ? "row" : "rows"}`;
