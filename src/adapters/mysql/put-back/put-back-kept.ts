import { SeqqaError } from "../../../model/errors.ts";
import type { Leftover, RowImages } from "../../../model/stores/leftover.ts";
import type { Cleaning } from "../../../model/stores/store-provider.ts";
import type { RowSums } from "../../../stores/journal/multiset-mirror.ts";
import { readCatalog, type Catalog, type Table } from "../schema/catalog.ts";
import { condition, fieldsOf, imageOfRow } from "../journal/columns.ts";
import type { Control, Row } from "../connect/control.ts";
import { cannotRecover, errnoOf, incoherent, notPutBack } from "../connect/failures.ts";
import { GUARD, ORIGINALS } from "../journal/guards.ts";
import { sumsOf, withIgnoredOf } from "../journal/ignored-values.ts";
import { KEPT, LOG, OWNER, RUN } from "../journal/journal-sql.ts";
import { ENTRY, sumOfEntries, TOO_LONG } from "../journal/log-entries.ts";
import { presentTable, recordedRows, widened, withOwnValues } from "../journal/present-table.ts";
import { WRONG_COUNT } from "./put-back.ts";
import { keyOf, rowImage, shownKey } from "../read/shown-row.ts";
import { quoteName } from "../connect/sql-text.ts";
import { undoRows, type KeptRow } from "../journal/undo-rows.ts";

const NO_TABLE = 1146;
const MOST_TRIES = 3;
const AT_ONCE = 200;

export interface PutBack extends Cleaning {
  /**
   * Returns `true` if the unread entries at the end of the journal are writes of the run itself. By default, these entries count as writes by another
   * client, and their rows are not restored.
   */
  readonly recordsRest?: (() => boolean) | undefined;
  readonly limitMs?: number | undefined;
}

/**
 * Restores an external store to its content from before the run. Uses only data in the store. Restores a row only if the row still has the values
 * that the run recorded. Does not restore rows that were changed later, or rows to which such rows refer.
 *
 * Equal rows of a table without a key cannot be distinguished. A row that the run added n times is deleted n times. Rows that the run deleted are
 * restored, unless a row that the run added is missing. Another client may have changed the missing row, and the changed row may replace a deleted
 * row. The result lists the missing row in `keep`.
 *
 * @throws SeqqaError `STORE_NOT_PUT_BACK`, `STORE_BUSY`, `JOURNAL_INCOHERENT`
 */
export async function putBackKept(control: Control, how: PutBack = {}): Promise<Leftover> {
  for (let tries = 1; ; tries++) {
    try {
      return await control.patiently(() => once(control, how), how.limitMs);
    } catch (error) {
      if (error instanceof SeqqaError) throw error;
      if (errnoOf(error) !== WRONG_COUNT) throw notPutBack(control.store, error);
      // Another session changed a row after the row was read, so the row cannot be deleted. Try again, up to `MOST_TRIES` times.
      if (tries >= MOST_TRIES) throw incoherent(control.store, "seqqa must delete a row that does not exist");
    }
  }
}

async function once(control: Control, { dryRun = false, onKept, recordsRest }: PutBack): Promise<Leftover> {
  const catalog = await readRecordedCatalog(control);
  await control.rows("start transaction");
  try {
    const recorded = await readRecorded(control, catalog, recordsRest);
    const rows = await rowsOf(control, catalog, recorded);
    const lost = catalog.tables.flatMap((table, at) => {
      const sum = new Map(recorded.sums.of(at));
      for (const [image, by] of recorded.rest.of(at)) sum.set(image, (sum.get(image) ?? 0) + by);
      return table.lost === undefined ? [] : recordedRows(table, table.lost, sum);
    });
    const undo = new Set(rows.filter((row) => row.recorded === row.now && row.root !== row.now));
    // In a table without a key, another client may have changed a missing row that the run added. The new values of such a row are unknown.
    const keep = rows.filter((row) => row.recorded !== row.now && (row.root !== row.now || row.table.key.length === 0));
    keep.push(...withoutTheirs(undo, rows), ...(await withOwnValues(control, undo)));
    requireGuarded(control, catalog, undo);
    keep.push(...(await undoRows(control, catalog, undo)));
    const { sinceMs, recordedMs } = recorded;
    const store = `the database ${control.store.shown}`;
    const leftover = { store, sinceMs, recordedMs, undo: [...undo].map(imagesOf), keep: [...keep.map(imagesOf), ...lost] };
    if (!dryRun && leftover.keep.length > 0) onKept?.(leftover);
    // Empty the undo log and the recorded changes, because nothing is left to restore, and later writes belong to the user.
    await control.rows(dryRun ? "rollback" : recorded.isThere ? `delete from ${LOG};\ndelete from ${KEPT};\ncommit` : "commit");
    return leftover;
  } catch (error) {
    if (!control.lost) await control.rows("rollback");
    throw error;
  }
}

async function readRecordedCatalog(control: Control): Promise<Catalog> {
  const catalog = await readCatalog(control);
  const owned = await control.rows(`select name, shape from ${OWNER} where tab >= 0`);
  const shapes = new Map(owned.map(([name, shape]) => [name ?? "", shape ?? ""]));
  const names = new Set([...catalog.tables.map(({ name }) => name), ...shapes.keys()]);
  const tables = [...names].map((name) => {
    const present = catalog.tables.find((table) => table.name === name);
    const shape = shapes.get(name);
    return shape === undefined ? present! : presentTable(name, present, shape);
  });
  return { ...catalog, tables };
}

interface Recorded {
  /** `sums`: the row changes that the run recorded. `rest`: row changes in the undo log that the run had not recorded yet. */
  readonly sums: RowSums;
  readonly rest: RowSums;
  readonly sinceMs: number;
  readonly recordedMs: number;
  /** `false` if the journal's tables are incomplete. The run was then killed while it created or dropped the tables, and has left no changed rows. */
  readonly isThere: boolean;
}

async function readRecorded(control: Control, { tables }: Catalog, recordsRest: PutBack["recordsRest"]): Promise<Recorded> {
  const [sums, rest] = [sumsOf(tables), sumsOf(tables)];
  // This query fails with a lock error while an open transaction has written log entries, because the changes of the transaction cannot be read yet.
  const log = await ifThere(control.rows(`select ${ENTRY} from ${LOG} for update nowait`));
  const kept = await ifThere(control.rows(`select tab, img, amount from ${KEPT}`));
  const owned = await control.rows(`select tab, name, shape from ${OWNER} where tab >= 0`);
  const times = await ifThere(control.rows(`select since, recorded from ${RUN}`));
  if (log === undefined || kept === undefined) return { sums, rest, sinceMs: 0, recordedMs: 0, isThere: false };
  if (times === undefined)
    throw cannotRecover(
      control.store,
      "another version of seqqa executed the run, and this version cannot read its records",
      `Run \`seqqa clean\` with that version. Do not drop seqqa's tables before: ${LOG} and ${KEPT} contain the changed rows, and ${ORIGINALS} contains your triggers.`,
    );
  const named = new Map(owned.map(([tab, name]) => [tab, name ?? ""]));
  const indexOf = (tab: string | null | undefined): number => tables.findIndex(({ name }) => name === named.get(tab ?? null));
  const imageOf = (tab: number, image: string | null | undefined): string | null =>
    typeof image === "string" ? widened(tables[tab]!, image) : null;
  for (const [tab, row, by] of kept) sums.add(indexOf(tab), imageOf(indexOf(tab), row)!, Number(by));
  const entries = log.map(([seq, tab, note, grp, old, now]): Row => {
    if (old === TOO_LONG || now === TOO_LONG) {
      throw cannotRecover(
        control.store,
        `table "${named.get(tab ?? null) ?? ""}" has a changed row that seqqa could not record, because the row is longer than the server's max_allowed_packet`,
        `Correct this row by hand, then remove its entry: DELETE FROM ${LOG} WHERE seq = ${seq ?? ""}. Then run \`seqqa clean\` again, which restores all other rows.`,
      );
    }
    const at = indexOf(tab);
    return [seq!, String(at), note!, grp!, imageOf(at, old), imageOf(at, now)];
  });
  const into = recordsRest?.() === true ? sums : rest;
  for (const { table, row, by } of sumOfEntries(control.store, tables, entries).deltas()) into.add(table, row, by);
  return { sums, rest, sinceMs: Number(times[0]?.[0] ?? 0), recordedMs: Number(times[0]?.[1] ?? 0), isThere: true };
}

function ifThere(rows: Promise<Row[]>): Promise<Row[] | undefined> {
  return rows.catch((error: unknown) => {
    if (errnoOf(error) === NO_TABLE) return undefined;
    throw error;
  });
}

async function rowsOf(control: Control, { tables }: Catalog, { sums, rest }: Recorded): Promise<KeptRow[]> {
  const rows: KeptRow[] = [];
  for (const [at, table] of tables.entries()) {
    const [changed, later] = [sums.of(at), rest.of(at)];
    if ((changed.size === 0 && later.size === 0) || table.lost !== undefined) continue;
    const images = [...new Set([...changed.keys(), ...later.keys()])];
    rows.push(
      ...(table.key.length > 0
        ? keyedRows(at, table, changed, later, await presentRows(control, table, images))
        : looseRows(at, table, changed, later, await timesThere(control, table, images))),
    );
  }
  // A restore does not change ignored columns, so use their current values in both older images of the row.
  return rows.map((row) => ({
    ...row,
    root: withIgnoredOf(row.table, row.root, row.now),
    recorded: withIgnoredOf(row.table, row.recorded, row.now),
  }));
}

type Changes = ReadonlyMap<string, number>;

/** Returns the changed rows of a table with a key. `now`: the current row image for each key. */
function keyedRows(at: number, table: Table, changed: Changes, later: Changes, now: ReadonlyMap<string, string>): KeptRow[] {
  const rows = new Map<string, KeptRow>();
  for (const [image, by] of changed) {
    const key = keyOf(table, image);
    const row = rows.get(key) ?? { at, table, root: null, recorded: null, now: now.get(key) ?? null };
    rows.set(key, by < 0 ? { ...row, root: image } : { ...row, recorded: image });
  }
  const recorded = new Set(rows.keys());
  for (const [image, by] of later) {
    const key = keyOf(table, image);
    if (recorded.has(key)) continue;
    const row = rows.get(key) ?? { at, table, root: null, recorded: null, now: now.get(key) ?? null };
    // Only another client changed this row, after the run's last record.
    rows.set(key, by < 0 ? { ...row, root: image, recorded: image } : row);
  }
  return [...rows.values()];
}

/** Returns the changed rows of a table without a key. `now`: how often each row exists in the table. */
function looseRows(at: number, table: Table, changed: Changes, later: Changes, now: ReadonlyMap<string, number>): KeptRow[] {
  const rows: KeptRow[] = [];
  const left = new Map(now);
  const take = (image: string): string | null => {
    const there = left.get(image) ?? 0;
    left.set(image, there - 1);
    return there > 0 ? image : null;
  };
  for (const [image, by] of changed) {
    for (let n = by; n > 0; n--) rows.push({ at, table, root: null, recorded: image, now: take(image) });
    for (let n = by; n < 0; n++) rows.push({ at, table, root: image, recorded: null, now: null });
  }
  for (const [image, by] of later) {
    for (let n = by; n > 0; n--) rows.push({ at, table, root: null, recorded: null, now: take(image) });
    // The list already contains the rows that the run added, so add only the deletions that exceed their number.
    for (let n = by + Math.max(0, changed.get(image) ?? 0); n < 0; n++) rows.push({ at, table, root: image, recorded: image, now: null });
  }
  return rows;
}

/**
 * Checks the user's triggers on the tables that will be restored.
 *
 * @throws SeqqaError if a trigger was created after the run began, because the restore would fire this trigger
 */
function requireGuarded({ store }: Control, { triggers }: Catalog, undo: ReadonlySet<KeptRow>): void {
  const touched = new Set([...undo].map(({ table }) => table.name));
  const late = triggers.find(({ table, statement }) => touched.has(table) && !statement.startsWith(GUARD));
  if (late === undefined) return;
  throw cannotRecover(
    store,
    `table "${late.table}" has the trigger "${late.name}", which would fire during the restore and was created after the run began`,
    "Drop the trigger, run `seqqa clean`, and create the trigger again.",
  );
}

/**
 * Finds rows in tables without a key that must not be restored. If a row that the run added to a table is missing, the rows that the run deleted from
 * this table are not restored. Removes these rows from `undo` and returns them.
 */
function withoutTheirs(undo: Set<KeptRow>, rows: readonly KeptRow[]): KeptRow[] {
  const touched = new Set(
    rows.filter(({ table, recorded, now }) => table.key.length === 0 && recorded !== null && now === null).map(({ at }) => at),
  );
  const kept = [...undo].filter(({ at, now }) => now === null && touched.has(at));
  for (const row of kept) undo.delete(row);
  return kept;
}

async function presentRows(control: Control, table: Table, images: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const image = imageOfRow(table.columns, ({ name }) => quoteName(name));
  const keys = new Map(images.map((one) => [keyOf(table, one), fieldsOf(one)]));
  const conditions = [...keys.values()].map((fields) => table.key.map((at) => condition(table.columns[at]!, fields[at]!)).join(" and "));
  for (let i = 0; i < conditions.length; i += AT_ONCE) {
    const which = conditions.slice(i, i + AT_ONCE).map((one) => `(${one})`).join(" or "); // prettier-ignore
    for (const [one] of await control.rows(`select ${image} from ${table.sqlName} where ${which} for update`)) {
      if (typeof one === "string") found.set(keyOf(table, one), one);
    }
  }
  return found;
}

async function timesThere(control: Control, table: Table, images: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const image = imageOfRow(table.columns, ({ name }) => quoteName(name));
  for (let i = 0; i < images.length; i += AT_ONCE) {
    const list = images.slice(i, i + AT_ONCE).map((one) => `'${one}'`).join(","); // prettier-ignore
    // Count the rows here and not with GROUP BY: the server may compare only the first bytes of long texts.
    for (const [one] of await control.rows(`select ${image} from ${table.sqlName} where ${image} in (${list})`)) {
      if (typeof one === "string") found.set(one, (found.get(one) ?? 0) + 1);
    }
  }
  return found;
}

function imagesOf({ table, root, recorded, now, why }: KeptRow): RowImages {
  return {
    table: table.name,
    key: shownKey(table, (root ?? recorded ?? now)!),
    root: rowImage(table, root),
    recorded: rowImage(table, recorded),
    now: rowImage(table, now),
    ...(why !== undefined && { why }),
  };
}
