import type { ObservedColumn } from "../../model/stores/store-adapter.ts";
import { keyText, type ExactRow, type ExactValue } from "./exact-row.ts";
import type { RowKey } from "./net-mirror.ts";

/** The layout of the rows in a table with a journal: the positions of the key columns and of the observed columns. */
export interface TableShape {
  readonly index: number;
  readonly name: string;
  /** The indexes of the key columns in a row. */
  readonly keyAt: readonly number[];
  /** The index of the first observed column: 1 if column 0 is a hidden rowid, else 0. */
  readonly shownFrom: number;
  readonly columns: readonly ObservedColumn[];
  /** `true` if the table is part of the observed state. All other tables are restored, but not observed. */
  readonly observed: boolean;
  /** `true` if the rows have no key but a hidden rowid. Queries read such rows in the order of their rowids. Default: `false`. */
  readonly isOrdered?: boolean;
}

/** Returns the key of a row. A key that is a single integer is returned unchanged. Every other key is returned as text. */
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
