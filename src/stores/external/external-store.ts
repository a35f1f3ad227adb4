import { isDeepStrictEqual } from "node:util";
import { SeqqaError } from "../../model/errors.ts";
import { ignoreLines, ROWS } from "../../model/stores/ignore-line.ts";
import { reasonsOf, type Leftover, type RowImage, type RowImages, type WrittenRow } from "../../model/stores/leftover.ts";

/**
 * The number of seconds without a heartbeat after which a run must stop using its external store. The run's triggers then log nothing more, and the
 * run writes nothing more. The limit is long because heartbeats are sent by the thread that also runs the user's code.
 */
export const LEASE_SECONDS = 30;

/** Milliseconds between two renewals of the lease. */
export const RENEWAL_MS = 5_000;

/**
 * Returns the error for a run that must no longer use its external store. Either the run's heartbeat was late (process stopped or machine suspended),
 * or another run has restored the store.
 */
export function leaseOver(store: string): SeqqaError {
  return new SeqqaError(
    "LEASE_OVER",
    `This run stopped using ${store}, because it sent no heartbeat to the store for ${LEASE_SECONDS} s. Another run may have used the store in the meantime.`,
    {
      hint: "Run `seqqa clean`, which shows the changes that this run left in the store, and undoes them. Then start the run again.",
      exitStatus: 3,
    },
  );
}

/**
 * Decides if a change in an external store can be a result of this run. This is possible only if the run has sent a request since it last read the
 * store, or waits for an answer.
 */
export class AskedSince {
  readonly #asked: (() => number | undefined) | undefined;
  #seen: number | undefined;

  /**
   * @param asked Returns the number of requests so far; `undefined` while a request is in progress.
   * @param isNew `true` if the run begins to use the store, so that writes before its first request belong to other clients. `false` if the run has
   * already used the store.
   */
  constructor(asked: (() => number | undefined) | undefined, isNew = true) {
    this.#asked = asked;
    if (isNew) this.looked();
  }

  /** `true` if this run has sent no request since it last read the store, and waits for no answer. */
  get isQuiet(): boolean {
    const now = this.#asked?.();
    return now !== undefined && now === this.#seen;
  }

  /** Records that the store was just read. */
  looked(): void {
    this.#seen = this.#asked?.();
  }
}

const NAMED = 3;

/** Returns a list of rows for a message: `orders id 7, orders id 8 and 3 more`. */
export function namedRows(rows: readonly Pick<RowImages, "table" | "key">[]): string {
  const named = rows.slice(0, NAMED).map(({ table, key }) => `${table} ${key}`);
  return rows.length > NAMED ? `${named.join(", ")} and ${rows.length - NAMED} more` : named.join(", ");
}

/** A row that another client wrote. */
export type ForeignRow = WrittenRow;

/**
 * Returns one entry for each row that another client wrote. The argument lists removed rows (`by` below zero) and added rows. Rows with equal keys
 * are the same row.
 */
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

/** Largest number of fields that a hint names. */
const MOST_FIELDS = 5;

/** The error for a write of another client to an external store while the run had no request in progress. */
export class ForeignWrite extends SeqqaError {
  /** The fields that the other client wrote: `table.column` for each changed column of a row, `table.*` for an added or removed row. */
  readonly fields: readonly string[];

  /**
   * @param rows The rows that the other client wrote, at least one.
   * @param keyFieldsOf Returns the names of the written fields of a row. Needed for stores with keys in place of columns. Default: the changed
   * columns.
   */
  constructor(
    store: string,
    rows: readonly ForeignRow[],
    at: Date = new Date(),
    keyFieldsOf: (row: ForeignRow) => readonly string[] = changedIn,
  ) {
    const fields = [...new Set(rows.flatMap(keyFieldsOf))];
    const remedy =
      fields.length > MOST_FIELDS ? 'list the columns that it writes: `ignore: ["table.column"]`' : `write ${ignoreLines(fields)}`;
    super(
      "FOREIGN_WRITE",
      `Something wrote to ${store} while this run sent no request: ${namedRows(rows)}, seen at ${at.toISOString()}. seqqa keeps these changes.`,
      {
        hint: `Stop other clients and jobs that use the store during a run, or use a copy (\`db_url\`). If the target writes after its answers, set \`target.settle\`. If the target writes without requests, ${remedy}.`,
        exitStatus: 3,
      },
    );
    this.fields = fields;
  }
}

function changedIn({ table, was, now }: ForeignRow): readonly string[] {
  if (was === null || now === null) return [`${table}${ROWS}`];
  return Object.keys(now).flatMap((column) => (isDeepStrictEqual(was[column], now[column]) ? [] : [`${table}.${column}`]));
}

/**
 * Returns the error for rows of an external store that a run could not restore at its end. `file`: the path of the file with the earlier values of
 * these rows. `unlogged`: another change that could not be undone.
 */
export function keptAtEnd(
  store: string,
  rows: readonly Pick<RowImages, "table" | "key" | "why">[],
  file: string,
  unlogged?: string,
): SeqqaError {
  const also = unlogged === undefined ? "" : `seqqa cannot undo this change: ${unlogged}. `;
  const reasons = reasonsOf(rows, "another client changed some of them");
  if (reasons.length > 0) {
    return new SeqqaError(
      "ROWS_KEPT",
      `seqqa could not restore all rows of ${store}: ${namedRows(rows)}, because ${reasons.join(", and ")}. ${also}seqqa restored all other rows, and wrote the earlier values of these rows to ${file}.`,
      { hint: "If you still need the earlier values, copy them from the file to the store by hand.", exitStatus: 3 },
    );
  }
  const says = rows.length === 1 ? "seqqa left this row as it is" : "seqqa left these rows as they are";
  return new SeqqaError(
    "ROWS_KEPT",
    `Another client changed rows of ${store} during the run: ${namedRows(rows)}. ${also}${says}, and wrote the earlier values to ${file}.`,
    {
      hint: "Compare each row in the store with its earlier value, which the file contains. If the present value of a row is wrong, correct the row in the store.",
      exitStatus: 3,
    },
  );
}

/**
 * Combines the row images of a table whose rows can no longer be read: each image from before the run and the image with the same key that the run
 * recorded. `sum`: the number of copies of each image that the run added; negative for images that it removed. `describe`: returns the key and the
 * values of an image.
 */
export function unreadRows(
  table: string,
  why: string,
  sum: ReadonlyMap<string, number>,
  describe: (image: string) => { readonly key: string; readonly row: RowImage | null },
): RowImages[] {
  const rows = new Map<string, { readonly times: number; readonly one: RowImages }>();
  for (const [image, by] of sum) {
    if (by === 0) continue;
    const { key, row } = describe(image);
    const one = rows.get(key)?.one ?? { table, key, root: null, recorded: null, now: undefined, why };
    rows.set(key, { times: Math.abs(by), one: by < 0 ? { ...one, root: row } : { ...one, recorded: row } });
  }
  return [...rows.values()].flatMap(({ times, one }) => Array.from({ length: times }, () => one));
}

/** The reason why a row is kept although nobody changed it after the run: the store refused to insert it again. `message`: the error of the store. */
export function refusedRow(message: string): string {
  return `the store refuses a row (${message})`;
}

/** The reason why a row is kept although its other columns still have the values that the run recorded. */
export function hasOwnValue(table: string): string {
  return `the row has a value in a column that was added to table "${table}"`;
}

/**
 * Returns the error for an external store that an earlier run did not restore. No run can use the store until the user decides what to do with the
 * changes.
 */
export function leftBehind({ store, recordedMs, undo, keep, unlogged }: Leftover): SeqqaError {
  const when = recordedMs === 0 ? "" : ` (last recorded change: ${new Date(recordedMs).toISOString()})`;
  return new SeqqaError("STORE_LEFT", `A run was killed while it was changing ${store}${when}. ${leftoverText({ undo, keep, unlogged })}`, {
    hint: CLEAN,
    exitStatus: 2,
  });
}

const CLEAN =
  "Run `seqqa clean`, which shows the changed rows, asks you, and restores them. `seqqa clean --dry-run` only shows the rows. If seqqa.yaml does not name the store, set SEQQA_DB_URL to its URL for this command.";

/**
 * The state of the run that uses a store in place: `alive`, or `dead` with changes of the run still in the store. `undefined` if there is no such
 * run.
 */
export type InPlaceRun = "alive" | "dead" | undefined;

/**
 * Checks that no run uses the store in place or has left changes in it, because copies for lanes would contain these changes. @throws SeqqaError
 * `STORE_IN_USE`, `STORE_LEFT`
 */
export function requireNotInPlace(store: string, run: InPlaceRun): void {
  if (run === undefined) return;
  const copies = "and copies for lanes would contain the changes of that run";
  if (run === "alive")
    throw new SeqqaError("STORE_IN_USE", `Another run of seqqa is using ${store} in place, ${copies}.`, {
      hint: "Wait until the other run has ended, or use another database for this run.",
      exitStatus: 2,
    });
  throw new SeqqaError("STORE_LEFT", `A run was killed while it was using ${store} in place, ${copies}.`, {
    hint: CLEAN,
    exitStatus: 2,
  });
}

/**
 * Describes which rows `seqqa clean` will restore and which rows it will leave unchanged: `seqqa clean restores 3 rows (items 1, orders 2). It does
 * not change 1 row (orders 1), because it was written during the last request of the run or after it.`
 */
export function leftoverText({ undo, keep, unlogged }: Pick<Leftover, "undo" | "keep" | "unlogged">): string {
  return [
    ...(undo.length > 0 ? [`seqqa clean restores ${countedRows(undo)}.`] : []),
    ...(keep.length > 0
      ? [
          `${undo.length > 0 ? "It" : "seqqa clean"} does not change ${countedRows(keep)}, because ${reasonsOf(keep, "some were written during the last request of the run or after it").join(", and ") || `${keep.length === 1 ? "it was" : "they were"} written during the last request of the run or after it`}. It writes the earlier values to a file.`,
        ]
      : []),
    ...(unlogged === undefined ? [] : [`seqqa cannot undo this change: ${unlogged}.`]),
  ].join(" ");
}

function countedRows(rows: readonly RowImages[]): string {
  const counts = new Map<string, number>();
  for (const { table } of rows) counts.set(table, (counts.get(table) ?? 0) + 1);
  const tables = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([table, count]) => `${table} ${count}`);
  return `${rows.length} ${rows.length === 1 ? "row" : "rows"} (${tables.join(", ")})`;
}

/** Returns the error for a checkpoint mode that cannot be used with an external store. `why` is a clause without a final period. */
export function refusedWhereItIs(checkpoint: string, store: string, why: string): SeqqaError {
  return new SeqqaError(
    "CHECKPOINT_REFUSED",
    `Checkpoint mode "${checkpoint}" cannot be used for ${store}, because the run uses this store in place: ${why}.`,
    {
      hint: "Let seqqa start the target and copy the store (`target.command` and `db_url`). Or use a store that supports `checkpoint: journal`.",
      exitStatus: 2,
    },
  );
}

/** A foreign key from a column of table `child` to table `parent`. */
export interface ForeignReference {
  readonly child: string;
  readonly column: string;
  readonly parent: string;
  /** `true` if deleting a row of the parent table changes rows of the child table (ON DELETE CASCADE, SET NULL or SET DEFAULT). */
  readonly deletes: boolean;
}

/**
 * Checks that ignored tables and restored tables do not refer to each other, because restores do not check foreign keys:
 * - After a restore, a row of an ignored table could refer to a row that no longer exists.
 * - If a row of an ignored table is deleted, a cascade may delete rows of a restored table. After a restore, these rows would refer to a row that no
 *   longer exists. In MariaDB/MySQL, triggers do not even log such a deletion.
 *
 * @param leftAlone The ignored tables: the tables that `ignore` names, and the tables that other clients changed while the run sent no request.
 * @throws SeqqaError `IGNORE_REFERS` (exit status 2)
 */
export function requireNoReference(store: string, leftAlone: ReadonlySet<string>, references: readonly ForeignReference[]): void {
  for (const { child, column, parent, deletes } of references) {
    if (leftAlone.has(child) && !leftAlone.has(parent)) {
      throw new SeqqaError(
        "IGNORE_REFERS",
        `Table "${child}" of ${store} is ignored, or another client writes to it, but its column ${column} refers to table "${parent}", which this run restores. Rows of "${child}" would refer to rows that no longer exist.`,
        {
          hint: `List "${parent}" under \`ignore\`, too. Or remove "${child}" from \`ignore\`, and stop other clients that write to this table. Or let seqqa start the target and copy the store (\`target.command\` and \`db_url\`).`,
          exitStatus: 2,
        },
      );
    }
    if (deletes && leftAlone.has(parent) && !leftAlone.has(child)) {
      throw new SeqqaError(
        "IGNORE_REFERS",
        `Table "${parent}" of ${store} is ignored, or another client writes to it, but deleting its rows deletes or changes rows of table "${child}", which this run restores (ON DELETE of column ${column}). Rows of "${child}" would be lost, or refer to rows that no longer exist.`,
        {
          hint: `List "${child}" under \`ignore\`, too. Or remove "${parent}" from \`ignore\`, and stop other clients that write to this table. Or let seqqa start the target and copy the store (\`target.command\` and \`db_url\`).`,
          exitStatus: 2,
        },
      );
    }
  }
}

/** The reason why some checkpoint modes cannot be used with an external store, for the error message. */
export const WHOLE_STORE = "this mode restores the whole store, which also undoes writes of other clients";
/** The same reason as in {@link WHOLE_STORE}, as the end of a sentence about the mode that would be chosen instead of `journal`. */
export const INSTEAD_WHOLE_STORE = "restores the whole store, which also undoes writes of other clients";
