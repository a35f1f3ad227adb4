import type { Observed, ObservedTable, StoredValue } from "../../../model/stores/store-adapter.ts";
import type { RowSums } from "../../../stores/journal/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import { fieldsOf, imageOfRow, shownValue } from "../journal/columns.ts";
import type { Queries, Row } from "../connect/control.ts";
import { rowTooLong } from "../connect/failures.ts";
import { quoteName } from "../connect/sql-text.ts";
import type { Selection } from "./selection.ts";

function shownRow(table: Table, image: string): StoredValue[] {
  const fields = fieldsOf(image);
  return table.columns.map((column, i) => shownValue(column, fields[i]!));
}

function shown(table: Table, rows: Iterable<readonly [string, number]>): ObservedTable {
  const [added, removed]: [StoredValue[][], StoredValue[][]] = [[], []];
  for (const [image, by] of rows) {
    const values = shownRow(table, image);
    for (let n = Math.abs(by); n > 0; n--) (by > 0 ? added : removed).push(values);
  }
  return { name: table.name, columns: table.shown, added, removed };
}

/**
 * Returns a state as its differences from the root state. `counters`: the AUTO_INCREMENT values that differ from the root state. Default: none,
 * because most modes do not restore these values. seqqa then renames generated ids before states are compared. `schema`: the changes of the schema.
 */
export function observeNet(
  tables: readonly Table[],
  net: RowSums,
  selection: Selection,
  counters: Readonly<Record<string, number | bigint | null>> = {},
  schema: readonly ObservedTable[] = [],
): Observed {
  const observed = [...schema];
  tables.forEach((table, i) => {
    if (selection(table) && net.of(i).size > 0) observed.push(shown(table, net.of(i)));
  });
  return { kind: "rows", tables: byName(observed), counters };
}

/** Returns a whole state. `counters`: the AUTO_INCREMENT values of all tables. Default: none, because most modes do not restore these values. */
export function observeAll(
  contents: readonly (readonly [Table, readonly string[]])[],
  counters: Readonly<Record<string, number | bigint | null>> = {},
): Observed {
  const full = contents.filter(([, rows]) => rows.length > 0);
  return {
    kind: "rows",
    tables: byName(
      full.map(([table, rows]) =>
        shown(
          table,
          rows.map((row) => [row, 1]),
        ),
      ),
    ),
    counters,
  };
}

function byName(tables: ObservedTable[]): ObservedTable[] {
  return tables.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export async function imagesOf(control: Queries, table: Table): Promise<string[]> {
  return imagesIn(table, await control.rows(selectImages(table)));
}

export function selectImages(table: Table): string {
  return `select ${imageOfRow(table.columns, ({ name }) => quoteName(name))} from ${table.sqlName}`;
}

export function imagesIn(table: Table, rows: readonly Row[]): string[] {
  return rows.map(([one]) => {
    if (one === null || one === undefined) throw rowTooLong(table.name);
    return one;
  });
}
