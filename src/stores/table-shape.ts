import type { ObservedColumn } from "../model/stores/store-adapter.ts";
import { keyText, type ExactRow, type ExactValue } from "./exact-row.ts";
import type { RowKey } from "./net-mirror.ts";

/** How the rows of a journalled table are laid out: identity, and what of them is shown to observers. */
export interface TableShape {
  readonly index: number;
  readonly name: string;
  /** Positions of the identifying values in a row. */
  readonly keyAt: readonly number[];
  /** The first position that observers see; 1 where a hidden rowid stands in front. */
  readonly shownFrom: number;
  /** The columns that observers see. */
  readonly columns: readonly ObservedColumn[];
  /** Part of the observed state; the others are only put back. */
  readonly observed: boolean;
}

/** The identity of a row. A single integer is its own key: rowids are by far the most frequent. */
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
