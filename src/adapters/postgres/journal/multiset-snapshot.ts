import type { Sequence, Table } from "../schema/catalog.ts";
import type { MultisetMirror, RowSums } from "../../../stores/journal/multiset-mirror.ts";
import { sumsOf } from "./ignored-values.ts";
import { imageForeign } from "../../../stores/connect/store-errors.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/**
 * A snapshot: the differences of a state from the root state, as plain data. seqqa can send a snapshot to another lane and write it to that lane's
 * store.
 */
export interface MultisetSnapshot {
  readonly kind: "multiset";
  /** `true` if `tables` has all rows of the state, not the differences from the root state. Default: `false`. */
  readonly isWhole?: boolean | undefined;
  readonly tables: readonly { readonly name: string; readonly rows: readonly (readonly [row: string, by: number])[] }[];
  readonly sequences: number;
  readonly counters: string;
  /** The last values of the sequences that restores leave unchanged. Default: none. */
  readonly reached?: readonly (readonly [name: string, last: string | null])[] | undefined;
}

export function imageOf(tables: readonly Table[], sequences: readonly Sequence[], mirror: MultisetMirror): MultisetSnapshot {
  const changed: MultisetSnapshot["tables"][number][] = [];
  for (let i = 0; i < tables.length; i++) {
    const rows = mirror.net.of(i);
    if (rows.size > 0) changed.push({ name: tables[i]!.fullName, rows: [...rows] });
  }
  return { kind: "multiset", tables: changed, sequences: sequences.length, counters: mirror.counters };
}

/** Returns a snapshot with all rows. */
export function wholeImage(tables: readonly Table[], sequences: readonly Sequence[], rows: RowSums, counters: string): MultisetSnapshot {
  const all = tables.map(({ fullName }, table) => ({ name: fullName, rows: [...rows.of(table)] }));
  return { kind: "multiset", isWhole: true, tables: all, sequences: sequences.length, counters };
}

export function isImage(image: unknown): image is MultisetSnapshot {
  return typeof image === "object" && image !== null && (image as { kind?: unknown }).kind === "multiset";
}

/**
 * Returns the row changes and sequence values of a snapshot, with the positions that the tables have in this store.
 *
 * @throws SeqqaError `IMAGE_FOREIGN` if this store lacks one of the tables or sequences
 */
export function fixesToImage(
  store: StoreUrl,
  tables: readonly Table[],
  sequences: readonly Sequence[],
  image: MultisetSnapshot,
): { readonly rows: RowSums; readonly counters: string } {
  if (image.sequences !== sequences.length) throw imageForeign(store, "the number of sequences");
  const rows = sumsOf(tables);
  for (const { name, rows: wanted } of image.tables) {
    const index = tables.findIndex(({ fullName }) => fullName === name);
    if (index < 0) throw imageForeign(store, `table "${name}"`);
    for (const [row, by] of wanted) rows.add(index, row, by);
  }
  return { rows, counters: image.counters };
}
