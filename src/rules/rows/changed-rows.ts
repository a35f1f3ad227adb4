import type { ApiClient } from "../../model/http/client.ts";
import type { Values } from "../../model/context/context.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { CheckResult } from "../../model/declare/invariant.ts";
import { Rule, type CheckedStep, type Earlier } from "../../model/declare/rule.ts";
import { Severity } from "../../model/declare/severity.ts";
import { requireList } from "../rule-options.ts";
import { nameOf, type RowRuleOptions } from "./row-rules.ts";
import { isNumber, isSameTotal, shownTotal, totalOf } from "./amounts.ts";
import { keyColumns, rowsByKey, textOf } from "./row-key.ts";
import { cellOf, columnName, SqlNames, type ColumnName } from "./table-names.ts";

const MOST_ROWS = 20;

/** Options of {@link immutable}. */
export interface ImmutableOptions extends RowRuleOptions {
  /** The column that identifies a row, or a list of columns that identify it together: `["order_id", "line"]`. Default: `id`. */
  readonly key?: string | readonly string[];
}

/**
 * Checks that columns of a row keep the values with which the row was created: `immutable(["orders.amount", "orders.customer_id"])`. Severity: HIGH.
 * The rule is judged after every step that changed something. Rows are compared by their key with the state before the step. New and deleted rows are
 * not judged.
 * @throws SeqqaError `RULE_INVALID` if a column is not written as `table.column`, or if the columns belong to several tables. The judgement of a step
 * throws the same error if two rows have the same key.
 */
export function immutable<C extends object = Values, A = ApiClient>(
  columns: string | readonly string[],
  { key, ...options }: ImmutableOptions = {},
): Rule<C, A> {
  const named = typeof columns === "string" ? [columns] : columns;
  const rule = `immutable(${JSON.stringify(columns)})`;
  const all = named.map((column) => columnName(rule, column));
  const [first] = all;
  if (first === undefined || all.some(({ table }) => table !== first.table)) {
    throw new SeqqaError("RULE_INVALID", `${rule}: the list of columns is empty, or the columns belong to several tables.`, {
      exitStatus: 2,
      hint: 'Write for example: immutable(["orders.amount", "orders.customer_id"])',
    });
  }
  const keyed = keyColumns(rule, first.table, key);
  return changeRule(rule, ["immutable", ...all], options, {
    read: async (names) => rowsByKey(names, keyed, all),
    judge: (before, now, { action }) => {
      const wrong = [...now].flatMap(([id, { key: shown, row }]) => {
        const earlier = before.get(id);
        if (earlier === undefined) return [];
        return all.flatMap(({ column }) => {
          const [from, to] = [textOf(cellOf(earlier.row, column)), textOf(cellOf(row, column))];
          return from === to ? [] : [{ ...shown, column, from, to }];
        });
      });
      if (wrong.length === 0) return true;
      return {
        ok: false,
        actual: wrong.slice(0, MOST_ROWS),
        expected: `${named.join(", ")} stay as they were created`,
        message: `${action.name} changed ${first.table}.${wrong[0]!.column} of a row from ${wrong[0]!.from} to ${wrong[0]!.to}`,
      };
    },
  });
}

/** Options of {@link conserved}. */
export interface ConservedOptions extends RowRuleOptions {
  /**
   * Rows that count as 1 each, selected by a column and its values: `{ "orders.status": ["placed", "paid"] }` adds the number of orders that are
   * placed or paid. Default: none.
   */
  readonly rows?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Checks that no step changes a total. The total is the sum of the columns over all rows, plus the number of rows that `rows` selects:
 * `conserved("accounts.balance")`, `conserved("stock.available", { rows: { "orders.status": ["placed", "paid"] } })`. `NULL` counts as 0. Totals
 * of integer and decimal columns are compared exactly. If the total contains floating-point numbers, a difference of up to a millionth counts as a
 * rounding error. Severity: HIGH.
 * @throws SeqqaError `RULE_INVALID` if a column is not written as `table.column`, or no column is given
 */
export function conserved<C extends object = Values, A = ApiClient>(
  columns: string | readonly string[],
  { rows = {}, ...options }: ConservedOptions = {},
): Rule<C, A> {
  const named = typeof columns === "string" ? [columns] : columns;
  const rule = `conserved(${JSON.stringify(columns)})`;
  const sums = named.map((column) => columnName(rule, column));
  for (const [column, values] of Object.entries(rows)) requireList(rule, `rows["${column}"]`, values, '["placed", "paid"]');
  const counts = Object.entries(rows).map(([column, values]) => ({ at: columnName(rule, column), values }));
  const all = [...sums, ...counts.map(({ at }) => at)];
  if (all.length === 0) {
    throw new SeqqaError("RULE_INVALID", `${rule}: the list of columns is empty.`, {
      exitStatus: 2,
      hint: 'Write for example: conserved("accounts.balance")',
    });
  }
  return changeRule(rule, ["conserved", ...(all as [ColumnName, ...ColumnName[]])], options, {
    read: async (names) => {
      const parts: unknown[] = [];
      for (const at of sums) parts.push(await sumOf(names, at));
      for (const { at, values } of counts) {
        const listed = values.map((value) => names.literal(value)).join(", ");
        const sql = `SELECT COUNT(*) AS total FROM ${names.table(at)} WHERE ${names.name(at.column)} IN (${listed})`;
        if (values.length > 0) parts.push(await numberOf(names, sql, at));
      }
      return totalOf(parts);
    },
    judge: (before, now, { action }) =>
      isSameTotal(now, before) || {
        ok: false,
        actual: shownTotal(now),
        expected: shownTotal(before),
        message: `${action.name} changed the total of ${all.map(({ table, column }) => `${table}.${column}`).join(", ")} from ${before.text} to ${now.text}`,
      },
  });
}

/** Returns the sum of a column. Sums of the type `money` of PostgreSQL are texts such as `$1,234.50`, and are read as numbers. */
async function sumOf(names: SqlNames, at: ColumnName): Promise<unknown> {
  const sum = await numberOf(names, `SELECT ${names.sum(at)} AS total FROM ${names.table(at)}`, at);
  return isNumber(sum) ? sum : numberOf(names, `SELECT CAST(${names.sum(at)} AS numeric) AS total FROM ${names.table(at)}`, at);
}

async function numberOf(names: SqlNames, sql: string, at: ColumnName): Promise<unknown> {
  const [row] = await names.rows(sql, [at]);
  return row?.["total"];
}

interface ChangeCheck<T> {
  readonly read: (names: SqlNames) => Promise<T>;
  readonly judge: (before: T, now: T, step: CheckedStep) => true | CheckResult;
}

/** Returns a rule that reads the same data after a step and before it, and compares the two. */
export function changeRule<C extends object, A, T>(
  rule: string,
  named: readonly [string, ...ColumnName[]],
  { store, name, ...options }: RowRuleOptions,
  { read, judge }: ChangeCheck<T>,
): Rule<C, A> {
  return new Rule<C, A>({
    severity: Severity.HIGH,
    ...options,
    name: name ?? nameOf(named),
    message: `${rule} does not hold`,
    writes: true,
    judge: async ({ systems }, step) => {
      if (!step.changed || !step.canGoBack) return true;
      const names = new SqlNames(rule, systems, store);
      const now = await read(names);
      const earlier: Earlier["earlier"] = async () => judge(await read(names), now, step);
      return { earlier };
    },
  });
}
