import type { RowSums } from "../../../stores/journal/multiset-mirror.ts";
import { imageForeign } from "../../../stores/connect/store-errors.ts";
import type { Table } from "../schema/catalog.ts";
import { sumsOf } from "./ignored-values.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/**
 * A snapshot: the differences of a state from the root state, as plain data. seqqa can send a snapshot to another lane and write it to that lane's
 * store.
 */
export interface MultisetSnapshot {
  readonly kind: "multiset";
  /** `true` if `tables` has all rows of the state, not the differences from the root state. Default: `false`. */
  readonly isWhole?: boolean | undefined;
  readonly tables: readonly {
    readonly name: string;
    readonly columns: readonly string[];
    readonly rows: readonly (readonly [row: string, by: number])[];
  }[];
}

export function imageOf(tables: readonly Table[], net: RowSums): MultisetSnapshot {
  const changed: MultisetSnapshot["tables"][number][] = [];
  tables.forEach(({ name, columns }, i) => {
    const rows = net.of(i);
    if (rows.size > 0) changed.push({ name, columns: columns.map((column) => column.name), rows: [...rows] });
  });
  return { kind: "multiset", tables: changed };
}

export function isImage(image: unknown): image is MultisetSnapshot {
  return typeof image === "object" && image !== null && (image as { kind?: unknown }).kind === "multiset";
}

/**
 * Returns the row changes that a snapshot contains, with the positions that the tables have in this store.
 *
 * @throws SeqqaError `IMAGE_FOREIGN` if this store lacks one of the tables, or the table has other columns
 */
export function rowsOfImage(store: StoreUrl, tables: readonly Table[], image: MultisetSnapshot): RowSums {
  const sums = sumsOf(tables);
  for (const { name, columns, rows } of image.tables) {
    const index = tables.findIndex((table) => table.name === name);
    const own = tables[index]?.columns.map((column) => column.name) ?? [];
    if (own.length !== columns.length || own.some((one, i) => one !== columns[i])) throw imageForeign(store, `table "${name}"`);
    for (const [row, by] of rows) sums.add(index, row, by);
  }
  return sums;
}
