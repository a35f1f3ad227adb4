import type { RowSums } from "../../../stores/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import type { Row } from "../connect/control.ts";
import { rowTooLong } from "../connect/failures.ts";
import { sumsOf } from "./ignored-values.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/** The columns of the log that {@link sumOfEntries} expects, in this order. */
export const ENTRY = "seq,tab,note,grp,old,new";

/** The text that replaces the image of a row that is longer than the server's longest packet. */
export const TOO_LONG = "!";

/** Returns the row changes of log entries. The entries must come from complete statements. @throws SeqqaError `ROW_TOO_LONG` */
export function sumOfEntries(store: StoreUrl, tables: readonly Table[], rows: readonly Row[]): RowSums {
  const sums = sumsOf(tables);
  const made = new Set(rows.filter(([, , note, grp]) => note === "0" && grp !== null).map(([, , , grp]) => grp));
  for (const [, tab, note, grp, old, now] of rows) {
    // Skips an effect that was logged in advance if the change of its parent row was not made.
    if (note === "1" && !made.has(grp)) continue;
    const table = Number(tab);
    if (old === TOO_LONG || now === TOO_LONG) throw rowTooLong(tables[table]?.name ?? "", store);
    if (typeof old === "string") sums.add(table, old, -1);
    if (typeof now === "string") sums.add(table, now, 1);
  }
  return sums;
}
