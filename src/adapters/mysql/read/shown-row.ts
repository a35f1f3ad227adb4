import type { RowImage } from "../../../model/stores/leftover.ts";
import { foreignRows, type ForeignRow } from "../../../stores/external-store.ts";
import type { Delta } from "../../../stores/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import { fieldsOf, shownValue } from "../journal/columns.ts";

const LONGEST = 80;

/** Returns a row by its columns, for people. */
export function rowImage({ columns }: Table, image: string | null): RowImage | null {
  if (image === null) return null;
  const fields = fieldsOf(image);
  return Object.fromEntries(columns.map((column, i) => [column.name, shownValue(column, fields[i]!)]));
}

/** Returns the identifying values of a row, for people: `id 7`; all of its values in a table without a key. */
export function shownKey({ columns, key }: Table, image: string): string {
  const fields = fieldsOf(image);
  const at = key.length > 0 ? key : columns.map((_, i) => i);
  return at.map((i) => `${columns[i]!.name} ${String(shownValue(columns[i]!, fields[i]!)).slice(0, LONGEST)}`).join(", ");
}

/** Returns the values that identify a row, as one text. */
export function keyOf({ key }: Table, image: string): string {
  if (key.length === 0) return image;
  const fields = fieldsOf(image);
  return key.map((at) => fields[at]!).join();
}

/** Returns the rows that changed, each once. */
export function changedRows(tables: readonly Table[], deltas: readonly Delta[]): ForeignRow[] {
  return foreignRows(
    deltas.map(({ table: at, row, by }) => {
      const table = tables[at]!;
      return { table: table.name, key: shownKey(table, row), by, image: rowImage(table, row) };
    }),
  );
}
