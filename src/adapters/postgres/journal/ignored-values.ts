import { RowSums } from "../../../stores/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import { quoteName, rowFields } from "../connect/sql-text.ts";

/**
 * Returns the positions of the columns that are compared. If a table has ignored columns, leaves out these and generated columns, which may depend on
 * them.
 */
function judgedAt({ columns, ignored }: Table): readonly number[] {
  return columns.flatMap(({ name, generated }, at) => (ignored.length > 0 && (generated || ignored.includes(name)) ? [] : [at]));
}

/** Returns SQL for the columns of a row that are compared, which are all but the ignored ones. `of`: the row's alias, or its SQL in parentheses. */
export function judgedSql(table: Table, of: string): string {
  const values = judgedAt(table).map((at) => `${of}.${quoteName(table.columns[at]!.name)}`);
  return `row(${values.join(", ")})::text collate "C"`;
}

/** Returns a text of the columns of a row that are compared, which are all but the ignored ones. */
function judgedText(table: Table, row: string): string {
  const fields = rowFields(row);
  return JSON.stringify(judgedAt(table).map((at) => fields[at] ?? null));
}

/** Returns a row's text form with the ignored columns of `other`, a row with the same key. If one of them is `null` (no such row), returns `row`. */
export function withIgnoredOf(table: Table, row: string | null, other: string | null): string | null {
  if (row === null || other === null || table.ignored.length === 0) return row;
  if (judgedText(table, row) === judgedText(table, other)) return other;
  const [own, others] = [rowFields(row), rowFields(other)];
  const fields = table.columns.map(({ name }, at) => (table.ignored.includes(name) ? others : own)[at] ?? null);
  return `(${fields.map((field) => (field === null ? "" : `"${field.replaceAll(/["\\]/g, "$&$&")}"`)).join(",")})`;
}

/** Returns an empty collection of row changes that compares rows without their ignored columns. */
export function sumsOf(tables: readonly Table[]): RowSums {
  return new RowSums(tellingBy(tables));
}

/** Returns a function for the identity of a row: a text of its columns without the ignored ones, or `undefined` if the table ignores no column. */
export function tellingBy(tables: readonly Table[]): (table: number, row: string) => string | undefined {
  return (at, row) => {
    const table = tables[at];
    return table === undefined || table.ignored.length === 0 ? undefined : judgedText(table, row);
  };
}
