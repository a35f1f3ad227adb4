/** The columns of a row, or a Redis key, in a form that JSON can hold. */
export type RowImage = Readonly<Record<string, unknown>>;

/** A row of an external store that was changed during a run, by the run or by somebody else. `null`: the row did not exist at that time. */
export interface RowImages {
  readonly table: string;
  /** The values that identify the row, as a text for people: `id 7`. */
  readonly key: string;
  /** The row when the run began. */
  readonly root: RowImage | null;
  /** The row as the run last recorded it. */
  readonly recorded: RowImage | null;
  /** The row as it is now. `undefined` if the row could not be read, see `why`. */
  readonly now: RowImage | null | undefined;
  /** The reason why the row is not restored, if it is not a later change by another client: `table "public.orders" was dropped`. */
  readonly why?: string | undefined;
}

/** A row that was written, with its values before the write (`was`) and after the write (`now`). `null` means that the row did not exist. */
export type WrittenRow = Pick<RowImages, "table" | "key"> & { readonly was: RowImage | null; readonly now: RowImage | null };

/** The changes that an ended run left in an external store. */
export interface Leftover {
  /** The store, without secrets. */
  readonly store: string;
  /** The time when the run began, in milliseconds since 1970; 0 if unknown. `recordedMs` is the time when the run last recorded its changes. */
  readonly sinceMs: number;
  readonly recordedMs: number;
  /** Rows that nobody changed after the run's last record. These rows are restored to their values before the run. */
  readonly undo: readonly RowImages[];
  /** Rows that are not restored, because they were changed after the run's last record, or because rows that were changed so late depend on them. */
  readonly keep: readonly RowImages[];
  /**
   * A change that fired no triggers, so that seqqa cannot undo it: a statement, such as `REFRESH MATERIALIZED VIEW totals`, or a sentence, such as
   * `table "items" was dropped or renamed`.
   */
  readonly unlogged?: string | undefined;
}

/** Returns `true` if an ended run left changed rows, or a change that cannot be undone: more than the records of the run itself. */
export function hasChanges(left: Leftover | undefined): left is Leftover {
  return left !== undefined && (left.undo.length + left.keep.length > 0 || left.unlogged !== undefined);
}

/** The largest number of reasons that a message names. */
const MOST_REASONS = 3;

/** Returns reasons why rows are not restored, each reason once. `others`: the reason to add if only some of the rows have a reason of their own. */
export function reasonsOf(rows: readonly Pick<RowImages, "why">[], others?: string): string[] {
  const reasons = [...new Set(rows.flatMap(({ why }) => why ?? []))].slice(0, MOST_REASONS);
  const isMixed = reasons.length > 0 && rows.some(({ why }) => why === undefined);
  return isMixed && others !== undefined ? [...reasons, others] : reasons;
}
