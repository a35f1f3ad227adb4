import type { ObservedColumn } from "../model/stores/store-adapter.ts";
import { keyText, type ExactRow, type ExactValue } from "./exact-row.ts";
import type { RowKey } from "./net-mirror.ts";

/** The layout of a journalled table's rows: which values identify a row, and which ones observers see. */
export interface TableShape {
  readonly index: number;
  readonly name: string;
  /** Positions of the identifying values in a row. */
  readonly keyAt: readonly number[];
  /** The first position that observers see; 1 where a hidden rowid comes first. */
  readonly shownFrom: number;
  /** The columns that observers see. */
  readonly columns: readonly ObservedColumn[];
  /** `true` if the table is part of the observed state. Other tables are only restored. */
  readonly observed: boolean;
}

/** Returns the identity of a row. A single integer is its own key, since rowids are by far the most frequent. */
export function keyOf(shape: Pick<TableShape, "keyAt">, row: ExactRow): RowKey {
  const { keyAt } = shape;
  if (keyAt.length === 1) {
    const value = row[keyAt[0] as number] as ExactValue;
    return typeof value === "bigint" ? value : keyText(value);
  }
  let key = "";
  for (const at of keyAt) key += `${keyText(row[at] as ExactValue)},`;
  return key;
}
