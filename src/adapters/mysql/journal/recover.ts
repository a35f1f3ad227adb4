import { hasChanges, type Leftover } from "../../../model/stores/leftover.ts";
import type { Cleaning } from "../../../model/stores/store-provider.ts";
import { keptAtEnd, leftBehind, type InPlaceRun } from "../../../stores/external/external-store.ts";
import { writeKept } from "../../../stores/external/kept-file.ts";
import { Control, type Row } from "../connect/control.ts";
import { partlyPutBack } from "../connect/failures.ts";
import { installed, installedToken, uninstall } from "./install.ts";
import { COUNTS, leaseLock, OWNER, readShape, RUN, tablesMark } from "./journal-sql.ts";
import { putBackKept, type PutBack } from "../put-back/put-back-kept.ts";
import { readCatalog } from "../schema/catalog.ts";
import { SchemaWatch } from "../schema/schema-watch.ts";
import type { Ask } from "../connect/server.ts";
import { named, quoteName } from "../connect/sql-text.ts";
import { storeUrl } from "../connect/store-url.ts";

/**
 * Restores an external store after a killed run, and removes the run's tables and triggers. Does nothing in a database without such tables and
 * triggers.
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

/** Returns `alive` or `dead` if a run uses the database in place, or has left its tables in it; otherwise `undefined`. Changes nothing. */
export async function inPlaceRun(ask: Ask, database: string): Promise<InPlaceRun> {
  // The table RUN exists only while a run may have changed rows.
  const [row] = await ask(
    `select is_used_lock('${leaseLock(database)}') from information_schema.tables where ${named("table_schema", database)} and table_name = '${RUN}'`,
  );
  if (row === undefined) return undefined;
  return row[0] === null ? "dead" : "alive";
}

/**
 * Checks that no killed run has left changed rows in an external store. If a killed run left only its tables and triggers, removes them.
 *
 * @throws SeqqaError `STORE_LEFT`, or the reason why the data cannot be restored
 */
export async function requireNoneLeft(control: Control): Promise<void> {
  if (!(await installed(control))) return;
  const left = await putBackAndUninstall(control, { dryRun: true });
  if (hasChanges(left)) throw leftBehind(left);
  await putBackAndUninstall(control);
}

/**
 * Restores an external store at the end of a run. `watching`: `true` if the store was opened only to detect writes of other clients.
 *
 * @throws SeqqaError `ROWS_KEPT`, or an error for an unlogged change. In both cases, the logged changes are undone before the error is thrown.
 */
export async function leaveAsFound(control: Control, how: PutBack, watching = false): Promise<void> {
  const left = await putBackAndUninstall(control, how);
  if (left.keep.length > 0 && !watching) throw keptAtEnd(left.store, left.keep, writeKept(left));
}

/**
 * Undoes the changes that the run recorded, then removes seqqa's tables and triggers. Undoes nothing in a lane's own database, because the database
 * is dropped together with the lane.
 */
async function putBackAndUninstall(control: Control, how: PutBack = {}): Promise<Leftover> {
  const borrowed = await isBorrowed(control);
  const nothing = { store: `the database ${control.store.shown}`, sinceMs: 0, recordedMs: 0, undo: [], keep: [] };
  const left = borrowed ? await putBackKept(control, how) : nothing;
  if (how.dryRun === true) return left;
  const remade = borrowed ? await remadeTable(control, left) : undefined;
  await uninstall(control);
  if (remade !== undefined && left.keep.length === 0) throw partlyPutBack(control.store, remade);
  return left;
}

/** Returns a description of a table that was truncated or changed by DDL during the run, or `undefined`. Must be called after the restore. */
async function remadeTable(control: Control, left: Leftover): Promise<string | undefined> {
  const watch = await SchemaWatch.open(control);
  const rows = await control.rows(`select tab, shape from ${OWNER} where tab < -1`);
  const kept = new Map(rows.map(([tab, shape]) => [tab, shape]));
  const [tables, counts] = [kept.get(String(tablesMark(watch))), kept.get(String(COUNTS))];
  const remade = typeof tables === "string" ? watch.difference(JSON.parse(tables) as Row[], await alteredTables(control)) : undefined;
  return remade ?? (typeof counts === "string" ? await emptiedTable(control, JSON.parse(counts) as [string, number][], left) : undefined);
}

/** Returns the names of the present tables whose columns differ from their columns during the run. */
async function alteredTables(control: Control): Promise<Set<string>> {
  const { tables } = await readCatalog(control);
  const present = new Map(tables.map((table) => [table.name, JSON.stringify(table.columns)]));
  const owned = await control.rows(`select name, shape from ${OWNER} where tab >= 0`);
  const altered = owned.filter(([name, shape]) => {
    // Journals of older releases do not contain the columns, so it is unknown if their tables were altered.
    const { columns } = readShape(shape ?? "");
    return columns.length > 0 && present.has(name!) && present.get(name!) !== JSON.stringify(columns);
  });
  return new Set(altered.map(([name]) => name!));
}

/**
 * Returns a description of a table that has lost all rows that the run neither added nor changed, or `undefined`. `counts`: the number of rows of
 * each table before the run.
 */
async function emptiedTable(control: Control, counts: readonly [string, number][], { undo }: Leftover): Promise<string | undefined> {
  for (const [name, count] of counts) {
    const restored = undo.filter(({ table, root }) => table === name && root !== null).length;
    if (count <= restored) continue;
    const present = await control.rows(`select 1 from ${quoteName(name)} limit ${restored + 1}`);
    if (present.length <= restored) return `Table "${name}"`;
  }
  return undefined;
}

async function isBorrowed(control: Control): Promise<boolean> {
  if ((await installedToken(control)) === undefined) return false;
  return (await control.rows(`select 1 from ${OWNER} where borrowed = 1 limit 1`)).length > 0;
}
