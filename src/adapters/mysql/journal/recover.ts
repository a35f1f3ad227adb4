import type { Leftover } from "../../../model/stores/leftover.ts";
import type { Cleaning } from "../../../model/stores/store-provider.ts";
import { keptAtEnd, leftBehind, type InPlaceRun } from "../../../stores/external-store.ts";
import { writeKept } from "../../../stores/kept-file.ts";
import { Control, type Row } from "../connect/control.ts";
import { partlyPutBack } from "../connect/failures.ts";
import { installed, installedToken, uninstall } from "./install.ts";
import { leaseLock, OWNER, RUN, TABLES } from "./journal-sql.ts";
import { putBackKept, type PutBack } from "../put-back/put-back-kept.ts";
import { SchemaWatch } from "../schema/schema-watch.ts";
import type { Ask } from "../connect/server.ts";
import { named } from "../connect/sql-text.ts";
import { storeUrl } from "../connect/store-url.ts";

/**
 * Restores an external store after the run that used it was killed, and removes the run's tables and triggers. Does nothing in a database without
 * such tables and triggers.
 *
 * @returns the rows that the run left changed (with `dryRun`, nothing is changed), or `undefined` if there was nothing to remove
 * @throws SeqqaError `STORE_IN_USE`, or the reason why the data cannot be restored
 */
export async function recover(url: string, how: Cleaning = {}): Promise<Leftover | undefined> {
  const control = await Control.open(storeUrl(url));
  try {
    if (!(await installed(control))) return undefined;
    return await putBackAndUninstall(control, how);
  } finally {
    await control.close();
  }
}

/** Finds out if a run uses a database in place. Changes nothing. */
export async function inPlaceRun(ask: Ask, database: string): Promise<InPlaceRun> {
  // This table exists only while a run may have changed rows.
  const [row] = await ask(
    `select is_used_lock('${leaseLock(database)}') from information_schema.tables where ${named("table_schema", database)} and table_name = '${RUN}'`,
  );
  if (row === undefined) return undefined;
  return row[0] === null ? "dead" : "alive";
}

/**
 * Makes sure that no killed run has left changed rows in an external store. If a killed run left only its tables and triggers, removes them.
 *
 * @throws SeqqaError `STORE_LEFT`, or the reason why the data cannot be restored
 */
export async function requireNoneLeft(control: Control): Promise<void> {
  if (!(await installed(control))) return;
  const left = await putBackAndUninstall(control, { dryRun: true });
  if (left.undo.length + left.keep.length > 0) throw leftBehind(left);
  await putBackAndUninstall(control);
}

/**
 * Restores an external store at the end of a run. `watching`: `true` if the store was opened only to detect writes of other clients.
 *
 * @throws SeqqaError `ROWS_KEPT`, or an error for a change that was not logged. In both cases, the logged changes are undone first.
 */
export async function leaveAsFound(control: Control, how: PutBack, watching = false): Promise<void> {
  const left = await putBackAndUninstall(control, how);
  if (left.keep.length > 0 && !watching) throw keptAtEnd(left.store, left.keep, writeKept(left));
}

/**
 * Undoes the changes that the run recorded, then removes seqqa's tables and triggers. In a lane's own database, nothing is undone, because the
 * database is dropped with the lane.
 */
async function putBackAndUninstall(control: Control, how: PutBack = {}): Promise<Leftover> {
  const borrowed = await isBorrowed(control);
  const nothing = { store: `the database ${control.store.shown}`, sinceMs: 0, recordedMs: 0, undo: [], keep: [] };
  const left = borrowed ? await putBackKept(control, how) : nothing;
  if (how.dryRun === true) return left;
  const remade = borrowed ? await remadeTable(control) : undefined;
  await uninstall(control);
  if (remade !== undefined && left.keep.length === 0) throw partlyPutBack(control.store, remade);
  return left;
}

async function remadeTable(control: Control): Promise<string | undefined> {
  const [[kept] = []] = await control.rows(`select shape from ${OWNER} where tab = ${TABLES}`);
  if (typeof kept !== "string") return undefined;
  return (await SchemaWatch.open(control)).difference(JSON.parse(kept) as Row[]);
}

async function isBorrowed(control: Control): Promise<boolean> {
  if ((await installedToken(control)) === undefined) return false;
  return (await control.rows(`select 1 from ${OWNER} where borrowed = 1 limit 1`)).length > 0;
}
