import type { Leftover } from "../../../model/stores/leftover.ts";
import type { Cleaning } from "../../../model/stores/store-provider.ts";
import { keptAtEnd, leftBehind } from "../../../stores/external-store.ts";
import { writeKept } from "../../../stores/kept-file.ts";
import { Control, type Row } from "../connect/control.ts";
import { partlyPutBack } from "../connect/failures.ts";
import { installed, installedToken, uninstall } from "./install.ts";
import { OWNER, TABLES } from "./journal-sql.ts";
import { putBackKept, type PutBack } from "../put-back/put-back-kept.ts";
import { SchemaWatch } from "../schema/schema-watch.ts";
import { storeUrl } from "../connect/store-url.ts";

/**
 * Restores a user's own database that a dead run has left, and removes what that run installed. A database with nothing of ours in it is left alone.
 *
 * @returns what was left behind (with `dryRun`: what is); `undefined`: nothing
 * @throws SeqqaError `STORE_IN_USE`, or why it could not be restored
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

/**
 * Makes sure that a dead run has left no row in a user's own database. An installation without changed rows is removed.
 *
 * @throws SeqqaError `STORE_LEFT`, or why it could not be restored
 */
export async function requireNoneLeft(control: Control): Promise<void> {
  if (!(await installed(control))) return;
  const left = await putBackAndUninstall(control, { dryRun: true });
  if (left.undo.length + left.keep.length > 0) throw leftBehind(left);
  await putBackAndUninstall(control);
}

/**
 * Ends a run's work on a user's own database. `watching`: see `StoreScope.watching`.
 *
 * @throws SeqqaError `ROWS_KEPT`, or an error for a change that is in no log; all logged changes are undone then
 */
export async function leaveAsFound(control: Control, how: PutBack, watching = false): Promise<void> {
  const left = await putBackAndUninstall(control, how);
  if (left.keep.length > 0 && !watching) throw keptAtEnd(left.store, left.keep, writeKept(left));
}

/** Undoes the changes that the run recorded, then removes everything of ours. A lane's own database is not restored: it goes with the lane. */
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

/** Returns the table that was truncated, created, removed or altered since the installation. */
async function remadeTable(control: Control): Promise<string | undefined> {
  const [[kept] = []] = await control.rows(`select shape from ${OWNER} where tab = ${TABLES}`);
  if (typeof kept !== "string") return undefined;
  return (await SchemaWatch.open(control)).difference(JSON.parse(kept) as Row[]);
}

async function isBorrowed(control: Control): Promise<boolean> {
  if ((await installedToken(control)) === undefined) return false;
  return (await control.rows(`select 1 from ${OWNER} where borrowed = 1 limit 1`)).length > 0;
}
