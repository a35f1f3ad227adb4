import type { ObservedColumn } from "../model/stores/store-adapter.ts";
import { keyText, type ExactRow, type ExactValue } from "./exact-row.ts";
import type { RowKey } from "./net-mirror.ts";

/** The layout of a journalled table's rows: the positions of the key and of the observed columns. */
export interface TableShape {
  readonly index: number;
  readonly name: string;
  /** The positions of the key's values in a row. */
  readonly keyAt: readonly number[];
  /** The position of the first observed value: 1 after a hidden rowid, else 0. */
  readonly shownFrom: number;
  readonly columns: readonly ObservedColumn[];
  /** `true` if the table is part of the observed state. Other tables are only restored. */
  readonly observed: boolean;
}

/** Returns the key that identifies a row. A single integer is returned unchanged, because most keys are rowids. */
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
