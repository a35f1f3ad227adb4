import { RowSums } from "../../../stores/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import { quoteName, rowFields } from "../connect/sql-text.ts";

/**
 * Returns positions of the columns that distinguish rows. In a table with ignored columns these are left out, and so are generated ones, which may
 * follow from them.
 */
function judgedAt({ columns, ignored }: Table): readonly number[] {
  return columns.flatMap(({ name, generated }, at) => (ignored.length > 0 && (generated || ignored.includes(name)) ? [] : [at]));
}

/** Returns an SQL expression for what distinguishes a row, for tables with ignored columns. `of`: its alias, or its SQL in brackets. */
export function judgedSql(table: Table, of: string): string {
  const values = judgedAt(table).map((at) => `${of}.${quoteName(table.columns[at]!.name)}`);
  return `row(${values.join(", ")})::text collate "C"`;
}

/** Returns the part of a row's text form that distinguishes it from others of its table. */
function judgedText(table: Table, row: string): string {
  const fields = rowFields(row);
  return JSON.stringify(judgedAt(table).map((at) => fields[at] ?? null));
}

/** Returns a row's text form with the values that another row of the same key has in ignored columns; `null`: there is no such row. */
export function withIgnoredOf(table: Table, row: string | null, other: string | null): string | null {
  if (row === null || other === null || table.ignored.length === 0) return row;
  if (judgedText(table, row) === judgedText(table, other)) return other;
  const [own, others] = [rowFields(row), rowFields(other)];
  const fields = table.columns.map(({ name }, at) => (table.ignored.includes(name) ? others : own)[at] ?? null);
  return `(${fields.map((field) => (field === null ? "" : `"${field.replaceAll(/["\\]/g, "$&$&")}"`)).join(",")})`;
}

/** Returns an empty sum of changes to rows of tables. */
export function sumsOf(tables: readonly Table[]): RowSums {
  return new RowSums(tellingBy(tables));
}

/** Distinguishes rows of tables by all but ignored columns. */
export function tellingBy(tables: readonly Table[]): (table: number, row: string) => string | undefined {
  return (at, row) => {
    const table = tables[at];
    return table === undefined || table.ignored.length === 0 ? undefined : judgedText(table, row);
  };
}
