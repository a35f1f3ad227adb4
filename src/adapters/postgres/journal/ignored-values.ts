import { RowSums } from "../../../stores/journal/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import { quoteName, rowFields } from "../connect/sql-text.ts";

/**
 * Returns the positions of the columns whose values are compared to find out if two rows are equal. In a table with ignored columns, the comparison
 * leaves out the ignored columns and all generated columns, because a generated column may depend on an ignored column.
 */
function judgedAt({ columns, ignored }: Table): readonly number[] {
  return columns.flatMap(({ name, generated }, at) => (ignored.length > 0 && (generated || ignored.includes(name)) ? [] : [at]));
}

/**
 * Returns an SQL expression for the compared values of a row, without ignored columns. `of`: the alias of the row, or an SQL expression for the row
 * in parentheses.
 */
export function judgedSql(table: Table, of: string): string {
  const values = judgedAt(table).map((at) => `${of}.${quoteName(table.columns[at]!.name)}`);
  return `row(${values.join(", ")})::text collate "C"`;
}

/** Returns the compared values of a row as one text, without ignored columns. */
function judgedText(table: Table, row: string): string {
  const fields = rowFields(row);
  return JSON.stringify(judgedAt(table).map((at) => fields[at] ?? null));
}

/**
 * Returns the row `row` with the ignored columns taken from `other`, a row with the same key. If `row` or `other` is `null` (the row does not exist),
 * returns `row` unchanged.
 */
export function withIgnoredOf(table: Table, row: string | null, other: string | null): string | null {
  if (row === null || other === null || table.ignored.length === 0) return row;
  if (judgedText(table, row) === judgedText(table, other)) return other;
  const [own, others] = [rowFields(row), rowFields(other)];
  const fields = table.columns.map(({ name }, at) => (table.ignored.includes(name) ? others : own)[at] ?? null);
  return `(${fields.map((field) => (field === null ? "" : `"${field.replaceAll(/["\\]/g, "$&$&")}"`)).join(",")})`;
}

/**
 * Creates an empty {@link RowSums}, which counts how often each row was added or removed. Rows that differ only in ignored columns count as equal.
 */
export function sumsOf(tables: readonly Table[]): RowSums {
  return new RowSums(tellingBy(tables));
}

/**
 * Returns a function that removes ignored columns from the text of a row. Two rows that differ only in ignored columns then become equal. The
 * function returns `undefined` for a table without ignored columns.
 */
export function tellingBy(tables: readonly Table[]): (table: number, row: string) => string | undefined {
  return (at, row) => {
    const table = tables[at];
    return table === undefined || table.ignored.length === 0 ? undefined : judgedText(table, row);
  };
}
