import type { RowSums } from "../../../stores/journal/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import type { Row } from "../connect/control.ts";
import { rowTooLong } from "../connect/failures.ts";
import { sumsOf } from "./ignored-values.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/** The columns of the undo log, in the order in which {@link sumOfEntries} reads them. */
export const ENTRY = "seq,tab,note,grp,old,new";

/** The text that replaces a row image that is longer than the server's longest packet. */
export const TOO_LONG = "!";

/** Returns the row changes that log entries describe. `rows` must include all entries of a statement. @throws SeqqaError `ROW_TOO_LONG` */
export function sumOfEntries(store: StoreUrl, tables: readonly Table[], rows: readonly Row[]): RowSums {
  const sums = sumsOf(tables);
  const made = new Set(rows.filter(([, , note, grp]) => note === "0" && grp !== null).map(([, , , grp]) => grp));
  for (const [, tab, note, grp, old, now] of rows) {
    // The effects of a foreign key are logged before the parent row changes. Skip the effects if the parent row was not changed.
    if (note === "1" && !made.has(grp)) continue;
    const table = Number(tab);
    if (old === TOO_LONG || now === TOO_LONG) throw rowTooLong(tables[table]?.name ?? "", store);
    if (typeof old === "string") sums.add(table, old, -1);
    if (typeof now === "string") sums.add(table, now, 1);
  }
  return sums;
}
