import { isDeepStrictEqual } from "node:util";
import { SeqqaError } from "../model/errors.ts";
import type { Leftover, RowImage, RowImages } from "../model/stores/leftover.ts";

/**
 * Seconds without a heartbeat after which a run loses its external store. The run's triggers then stop logging, and the run writes nothing more. The
 * limit is long because the heartbeat shares a thread with the user's code.
 */
export const LEASE_SECONDS = 30;

/** Milliseconds between two renewals of the lease. */
export const RENEWAL_MS = 5_000;

/**
 * Returns the error for an expired lease: the run sent no heartbeat on an external store for too long (SIGSTOP, a suspended machine), or someone else
 * recovered the store in the meantime.
 */
export function leaseOver(store: string): SeqqaError {
  return new SeqqaError(
    "LEASE_OVER",
    `This run sent no heartbeat to ${store} for ${LEASE_SECONDS} s. It no longer uses the store, because others may have used it since.`,
    { hint: "`seqqa clean` shows what the run left there, and cleans it up.", exitStatus: 3 },
  );
}

/** Decides if the run can have caused a change in an external store: only if the run sent a request since the previous read of the store. */
export class AskedSince {
  readonly #asked: (() => number | undefined) | undefined;
  #seen: number | undefined;

  /** For `asked` and `watching` see `StoreScope`. Without `asked`, every write counts as the run's. */
  constructor(asked: (() => number | undefined) | undefined, watching: boolean | undefined = false) {
    this.#asked = asked;
    if (watching) this.looked();
  }

  /** `true` if no request was sent since the last read, and none is in progress. */
  get isQuiet(): boolean {
    const now = this.#asked?.();
    return now !== undefined && now === this.#seen;
  }

  /** Records that the store was read and the changes were processed. */
  looked(): void {
    this.#seen = this.#asked?.();
  }
}

const NAMED = 3;

/** Lists rows for a message: `orders id 7, orders id 8 and 3 more`. */
export function namedRows(rows: readonly Pick<RowImages, "table" | "key">[]): string {
  const named = rows.slice(0, NAMED).map(({ table, key }) => `${table} ${key}`);
  return rows.length > NAMED ? `${named.join(", ")} and ${rows.length - NAMED} more` : named.join(", ");
}

/** The suffix of a table's name if other clients add or remove rows of the table. */
const WHOLE = ".*";

/** Returns the pattern of `ignore` for a field of {@link ForeignWrite.fields}. */
export function patternOf(field: string): string {
  return field.endsWith(WHOLE) ? field.slice(0, -WHOLE.length) : field;
}

/** A row that another client wrote, before and after the write; `null` if it did not exist. */
export type ForeignRow = Pick<RowImages, "table" | "key" | "now"> & { readonly was: RowImage | null };

/** Pairs removed rows (`by` below zero) with added rows that have the same key. */
export function foreignRows(
  rows: readonly { readonly table: string; readonly key: string; readonly by: number; readonly image: RowImage | null }[],
): ForeignRow[] {
  const found = new Map<string, ForeignRow>();
  for (const { table, key, by, image } of rows) {
    const name = JSON.stringify([table, key]);
    const row = found.get(name) ?? { table, key, was: null, now: null };
    found.set(name, by < 0 ? { ...row, was: image } : { ...row, now: image });
  }
  return [...found.values()];
}

/** The error for a write of another client to an external store while the run had no request in progress. */
export class ForeignWrite extends SeqqaError {
  /** The written fields: `table.column` if the row exists before and after the write, else `table.*`. */
  readonly fields: readonly string[];

  /** @param rows The written rows, at least one. */
  constructor(store: string, rows: readonly ForeignRow[], at: Date = new Date()) {
    super(
      "FOREIGN_WRITE",
      `${store} was written to while this run sent no request: ${namedRows(rows)}, seen at ${at.toISOString()}. These writes are kept.`,
      {
        hint: "Keep other clients and jobs off the store during a run, or use a copy of it (`db_url`). To wait for late writes of the target, set `target.settle`. To leave out what the target writes without a request, use `ignore`.",
        exitStatus: 3,
      },
    );
    this.fields = [...new Set(rows.flatMap(changedIn))];
  }
}

function changedIn({ table, was, now }: ForeignRow): readonly string[] {
  if (was === null || now === null) return [`${table}${WHOLE}`];
  return Object.keys(now).flatMap((column) => (isDeepStrictEqual(was[column], now[column]) ? [] : [`${table}.${column}`]));
}

/** Returns the error for rows that were not restored at the end of a run. `file` contains their earlier values. */
export function keptAtEnd(store: string, rows: readonly Pick<RowImages, "table" | "key">[], file: string): SeqqaError {
  const says = rows.length === 1 ? "It was left as it is" : "They were left as they are";
  return new SeqqaError(
    "ROWS_KEPT",
    `Rows of ${store} were changed by another client during the run: ${namedRows(rows)}. ${says}; their earlier values are in ${file}.`,
    { exitStatus: 3 },
  );
}

/** Returns the error for an external store that an ended run did not restore. No other run can use the store until the user has decided. */
export function leftBehind({ store, recordedMs, undo, keep }: Leftover): SeqqaError {
  const when = recordedMs === 0 ? "" : ` (last recorded change: ${new Date(recordedMs).toISOString()})`;
  return new SeqqaError("STORE_LEFT", `A run was killed while it was changing ${store}${when}. ${leftoverText({ undo, keep })}`, {
    hint: "`seqqa clean` shows these rows, asks, and restores them; `seqqa clean --dry-run` only shows them.",
    exitStatus: 2,
  });
}

/**
 * Describes which rows will be restored and which will be kept: `To be restored: 3 rows (items 1, orders 2). To be kept, because they were changed
 * after the run: 1 row (orders 1).`
 */
export function leftoverText({ undo, keep }: Pick<Leftover, "undo" | "keep">): string {
  return [
    ...(undo.length > 0 ? [`To be restored: ${countedRows(undo)}.`] : []),
    ...(keep.length > 0 ? [`To be kept, because they were changed after the run: ${countedRows(keep)}.`] : []),
  ].join(" ");
}

function countedRows(rows: readonly RowImages[]): string {
  const counts = new Map<string, number>();
  for (const { table } of rows) counts.set(table, (counts.get(table) ?? 0) + 1);
  const tables = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([table, count]) => `${table} ${count}`);
  return `${rows.length} ${rows.length === 1 ? "row" : "rows"} (${tables.join(", ")})`;
}

/** Returns the error for a checkpoint mode that cannot tell the writes of other clients from the run's. `why` is a clause without a final period. */
export function refusedWhereItIs(checkpoint: string, store: string, why: string): SeqqaError {
  return new SeqqaError(
    "CHECKPOINT_REFUSED",
    `Checkpoint mode "${checkpoint}" cannot be used for ${store}, which is used in place: ${why}.`,
    {
      hint: "Let the run use copies of it (`db_url` with a target that seqqa starts), or use a store that supports the journal.",
      exitStatus: 2,
    },
  );
}

/** A reason for {@link refusedWhereItIs}. */
export const WHOLE_STORE = "it restores the whole store, which also undoes writes of other clients";
