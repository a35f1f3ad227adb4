import type { RowImage } from "../../../model/stores/leftover.ts";
import type { Table } from "../schema/catalog.ts";
import { rowFields } from "../connect/sql-text.ts";
import { shownValue } from "./values.ts";

/** Converts the text of a row to an object with the value of each column, for messages and reports. */
export function rowImage({ columns }: Table, row: string | null): RowImage | null {
  if (row === null) return null;
  const fields = rowFields(row);
  const shown = columns.map(({ name, kind }, i) => [name, shownValue(fields[i] ?? null, kind)] as const);
  return Object.fromEntries(shown.filter((_, i) => columns[i]?.generated === false));
}

/** Returns the key of a row as text for messages, such as `id 7`. If the table has no key, returns all values. */
export function shownKey({ columns, key }: Table, row: string): string {
  const fields = rowFields(row);
  const names = key.length > 0 ? key.map(({ name }) => name) : columns.map(({ name }) => name);
  return names.map((name) => `${name} ${(fields[columns.findIndex((one) => one.name === name)] ?? "null").slice(0, 80)}`).join(", ");
}
