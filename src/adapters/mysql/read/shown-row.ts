import type { RowImage } from "../../../model/stores/leftover.ts";
import { foreignRows, type ForeignRow } from "../../../stores/external/external-store.ts";
import type { Delta } from "../../../stores/journal/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import { fieldsOf, shownValue } from "../journal/columns.ts";

const LONGEST = 80;

/** Converts a row image to an object with the value of each column, for messages and reports. */
export function rowImage({ columns }: Table, image: string | null): RowImage | null {
  if (image === null) return null;
  const fields = fieldsOf(image);
  return Object.fromEntries(columns.map((column, i) => [column.name, shownValue(column, fields[i]!)]));
}

/** Returns the key of a row as text for messages, such as `id 7`. If the table has no key, returns all values. */
export function shownKey({ columns, key }: Table, image: string): string {
  const fields = fieldsOf(image);
  const at = key.length > 0 ? key : columns.map((_, i) => i);
  return at.map((i) => `${columns[i]!.name} ${String(shownValue(columns[i]!, fields[i]!)).slice(0, LONGEST)}`).join(", ");
}

/** Returns the values of a row's key columns, joined to one text. If the table has no key, returns the whole row image. */
export function keyOf({ key }: Table, image: string): string {
  if (key.length === 0) return image;
  const fields = fieldsOf(image);
  return key.map((at) => fields[at]!).join();
}

export function changedRows(tables: readonly Table[], deltas: readonly Delta[]): ForeignRow[] {
  return foreignRows(
    deltas.map(({ table: at, row, by }) => {
      const table = tables[at]!;
      return { table: table.name, key: shownKey(table, row), by, image: rowImage(table, row) };
    }),
  );
}
