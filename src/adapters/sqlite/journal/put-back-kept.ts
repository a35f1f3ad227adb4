import type { Database } from "better-sqlite3";
import { SeqqaError } from "../../../model/errors.ts";
import type { Leftover, RowImages } from "../../../model/stores/leftover.ts";
import type { Cleaning } from "../../../model/stores/store-provider.ts";
import { hasOwnValue, leaseOver, refusedRow } from "../../../stores/external/external-store.ts";
import { sameRow, withValuesOf, type ExactRow, type ExactValue, type RowKey } from "../../../stores/index.ts";
import { blind, unblind } from "./blind.ts";
import { isInHeader, setInHeader } from "./counters.ts";
import { cannotRecover, isBusy, notPutBack } from "../connect/failures.ts";
import { emptyKept, keptCounters, keptRows, keptTimes, recordedTables } from "./kept-rows.ts";
import { dropOurs, hasTable, isRenumberable, readOwner, wasVacuumed, writing } from "./owner.ts";
import { lostRows, presentTable } from "./present-table.ts";
import { rowImage, shownKey } from "../read/shown-row.ts";
import { quoteName } from "../connect/sql-text.ts";
import type { TableIo } from "./table-io.ts";
import type { TablePlan } from "./table-plan.ts";
import { LEASE, LOG } from "./triggers.ts";
import { UndoLog } from "./undo-log.ts";

const MOST_TRIES = 20;

/** A row that the run changed, or that another client changed after the run last recorded changes. */
interface Row {
  readonly io: TableIo;
  readonly root: ExactRow | null;
  readonly recorded: ExactRow | null;
  readonly now: ExactRow | null;
  /** The reason why the row is not restored, although it still has the values that the run recorded last. */
  readonly why: string | undefined;
}

export interface PutBack extends Cleaning {
  /** `true` if unread entries of the undo log are writes of the run itself. By default, they count as writes of another client, and are kept. */
  readonly recordsRest?: boolean | undefined;
}

/**
 * Restores an external file to its content from before the run and removes seqqa's tables and triggers. Uses only data in the file. A row is restored
 * only if it still has the values that the run recorded. Rows that were changed later are kept, and so are the rows that they refer to. All rows of
 * a table that was dropped or altered are kept, except that a new column may have been added. If this process is killed during the restore, another
 * process can repeat it.
 *
 * @param token The id of the journal to restore. This process may have been suspended since it read the id: another process may have restored the
 *   file, and another run may use it now.
 * @throws SqliteError if the file is locked; SeqqaError `STORE_NOT_PUT_BACK`; `LEASE_OVER` if the file contains another journal or none
 */
export function putBackKept(db: Database, file: string, token: string, how: PutBack = {}): Leftover {
  let leftover: Leftover = { store: shownFile(file), sinceMs: 0, recordedMs: 0, undo: [], keep: [] };
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    unblind(db);
    const version = db.pragma("schema_version", { simple: true });
    const plans = plansOf(db, file);
    if (plans !== undefined) {
      const done = putBack(db, { file, token, plans, version }, how);
      unblind(db);
      if (done === undefined) continue;
      leftover = done;
    }
    if (how.dryRun !== true) writing(db, () => readOwner(db)?.token === token && dropOurs(db));
    return leftover;
  }
  throw notPutBack(file, new Error("another client keeps changing the schema of the file"));
}

function shownFile(file: string): string {
  return `the SQLite file ${file}`;
}

/**
 * Returns the journalled tables in the order of their numbers in the undo log, or `undefined` for a lane's own file, which has no saved rows. Hides the
 * triggers of the schema from this connection.
 */
function plansOf(db: Database, file: string): TablePlan[] | undefined {
  const recorded = recordedTables(db);
  if (recorded === undefined) return undefined;
  if (!hasTable(db, LEASE)) throw cannotRecover(file, "another version of seqqa executed the run");
  blind(db);
  return recorded.map((table, index) => presentTable(db, table, index));
}

interface Journalled {
  readonly file: string;
  readonly token: string;
  readonly plans: readonly TablePlan[];
  /** The version of the schema from which `plans` were read. */
  readonly version: unknown;
}

/** Restores the rows of the journalled tables. @returns `undefined` if the schema changed meanwhile */
function putBack(
  db: Database,
  { file, token, plans, version }: Journalled,
  { dryRun = false, onKept, recordsRest = false }: PutBack,
): Leftover | undefined {
  db.exec("begin immediate");
  try {
    if (db.pragma("schema_version", { simple: true }) !== version || !hasTable(db, LOG)) {
      db.exec("rollback");
      return undefined;
    }
    if (readOwner(db)?.token !== token) throw leaseOver(shownFile(file));
    const log = new UndoLog(db, file, plans);
    log.sync();
    const rows = rowsOf(db, log, recordsRest);
    const renumbered = new Set(wasVacuumed(db) ? log.tables.filter(({ plan }) => isRenumberable(db, plan)) : []);
    const isRuns = ({ recorded, now, why }: Row): boolean => why === undefined && sameRow(recorded, now);
    const undo = new Set(rows.filter((row) => !renumbered.has(row.io) && isRuns(row)));
    const kept = rows.filter((row) => renumbered.has(row.io) || (!isRuns(row) && !sameRow(row.root, row.now)));
    kept.push(...undoRows(db, undo));
    putCounters(db, log);
    const lost = lostRows(db, log);
    // Report a table that was dropped although the run changed no row of it: the journal has only changed rows, so its rows cannot be restored.
    const gone = [
      ...plans.filter(({ name }) => !lost.some(({ table }) => table === name)).map((plan) => plan.lost),
      ...plans.map((plan) => plan.recreated),
    ].find((why) => why !== undefined);
    const leftover = {
      store: shownFile(file),
      ...keptTimes(db),
      undo: [...undo].map(imagesOf),
      keep: [...kept.map((row) => imagesOf({ ...row, why: row.why ?? row.io.plan.recreated })), ...lost],
      ...(gone !== undefined && { unlogged: gone }),
    };
    if (!dryRun) {
      if (leftover.keep.length > 0) onKept?.(leftover);
      // End the lease, so that the triggers stop logging. Later writes of other clients are then never undone.
      emptyKept(db);
    }
    db.exec(dryRun ? "rollback" : "commit");
    return leftover;
  } catch (error) {
    if (db.inTransaction) db.exec("rollback");
    throw isBusy(error) || (error instanceof SeqqaError && error.code === "LEASE_OVER") ? error : notPutBack(file, error);
  }
}

/** Returns the rows that differ now from their original or recorded values: first the saved rows, then rows that are only in the undo log. */
function rowsOf(db: Database, log: UndoLog, recordsRest: boolean): Row[] {
  const rows: Row[] = [];
  const met = log.tables.map(() => new Set<RowKey>());
  // Ignored columns are not restored, so use their current values in both row versions.
  const add = (io: TableIo, root: ExactRow | null, recorded: ExactRow | null, now: ExactRow | null): void => {
    const [was, left] = [root, recorded].map((row) => withValuesOf(row, now, io.plan.ignoredAt));
    if (sameRow(was!, now) && sameRow(left!, now)) return;
    const why = now === null || io.isUntouched(io.key(now)) ? undefined : hasOwnValue(io.plan.name);
    rows.push({ io, root: was!, recorded: left!, now, why });
  };
  for (const { table, key, root, recorded } of keptRows(db, log.tables)) {
    const io = log.tables[table]!;
    if (io.plan.lost !== undefined) continue;
    met[table]!.add(io.keyFrom(key));
    const later = recordsRest ? log.mirror.slot(table, io.keyFrom(key)) : undefined;
    add(io, root, later === undefined ? recorded : later.now, io.read(key));
  }
  for (const io of log.tables) {
    for (const { key, base, now } of log.mirror.slotsOf(io.plan.index)) {
      if (!met[io.plan.index]!.has(key)) add(io, base, recordsRest ? now : base, now);
    }
  }
  return rows;
}

/**
 * Restores rows. Rows that cannot be restored are removed from the set and returned. A row cannot be restored if a row that stays in the table refers
 * to it, or has its key or unique values.
 */
function undoRows(db: Database, rows: Set<Row>): Row[] {
  const kept: Row[] = [];
  const touched = new Set([...rows].map(({ io }) => io.plan.name.toLowerCase()));
  const references = referencesOf(db).filter(
    (one) => (touched.has(one.child.toLowerCase()) || touched.has(one.parent.toLowerCase())) && canBeChecked(db, one),
  );
  for (;;) {
    db.exec("savepoint seqqa_undo");
    const before = references.map((one) => orphansOf(db, one));
    const refused = displaced(rows);
    const inTheWay = refused?.rows ?? references.flatMap((one, i) => orphaning(rows, one, missingFrom(before[i]!, orphansOf(db, one))));
    if (inTheWay.length === 0) {
      db.exec("release seqqa_undo");
      return kept;
    }
    db.exec("rollback to seqqa_undo; release seqqa_undo");
    for (const row of new Set(inTheWay)) {
      rows.delete(row);
      kept.push(refused === undefined ? row : { ...row, why: refusedRow(refused.message) });
    }
  }
}

/**
 * Deletes the given rows, and inserts them with their original values. Returns the first row that SQLite refuses, with SQLite's message: another row
 * of its table has the same key or unique value, or the row breaks a check. Returns `undefined` if all rows were inserted.
 */
function displaced(rows: ReadonlySet<Row>): { readonly rows: readonly Row[]; readonly message: string } | undefined {
  for (const { io, now } of rows) if (now !== null) io.delete(now);
  for (const row of rows) {
    if (row.root === null) continue;
    try {
      row.io.insert(row.root);
    } catch (error) {
      if (!String((error as { code?: unknown }).code).startsWith("SQLITE_CONSTRAINT")) throw error;
      return { rows: [row], message: (error as Error).message };
    }
  }
  return undefined;
}

/** A foreign key from the columns `from` of the child table to the columns `to` of the parent table. */
interface Reference {
  readonly child: string;
  readonly parent: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** The action of ON DELETE, in capital letters. `NO ACTION` by default. */
  readonly onDelete: string;
}

/** Returns the foreign keys between existing tables, with the names of the tables as the schema spells them. */
export function referencesOf(db: Database): Reference[] {
  const rows = db
    .prepare<[], { child: string; id: number; parent: string; source: string; target: string | null; onDelete: string }>(
      `select m.name as child, f.id, p.name as parent, f."from" as source, f."to" as target, f.on_delete as onDelete
       from sqlite_schema m, pragma_foreign_key_list(m.name) f join sqlite_schema p on p.type = 'table' and p.name = f."table" collate nocase
       where m.type = 'table' order by m.name, f.id, f.seq`,
    )
    .all();
  const primaryKey = db.prepare<[string], string>("select name from pragma_table_info(?) where pk > 0 order by pk").pluck();
  const references = new Map<string, Reference & { from: string[]; to: string[] }>();
  for (const { child, id, parent, source, target, onDelete } of rows) {
    const name = `${id} ${child}`;
    let one = references.get(name);
    if (one === undefined) references.set(name, (one = { child, parent, from: [], to: [], onDelete }));
    // A foreign key that names no parent columns refers to the primary key.
    one.to.push(target ?? primaryKey.all(parent)[one.from.length] ?? "rowid");
    one.from.push(source);
  }
  return [...references.values()];
}

/** Returns `false` if the query for orphans is invalid. SQLite accepts foreign keys that name columns which the parent table does not have. */
function canBeChecked(db: Database, reference: Reference): boolean {
  try {
    db.prepare(orphansSql(reference));
    return true;
  } catch {
    return false;
  }
}

/** Returns the foreign key values in the child table that have no row in the parent table. */
function orphansOf(db: Database, reference: Reference): ExactRow[] {
  return db.prepare<[], ExactValue[]>(orphansSql(reference)).raw().safeIntegers().all();
}

function orphansSql({ child, parent, from, to }: Reference): string {
  const present = from.map((name) => `c.${quoteName(name)} is not null`).join(" and ");
  const match = from.map((name, i) => `p.${quoteName(to[i]!)} = c.${quoteName(name)}`).join(" and ");
  return `select distinct ${from.map((name) => `c.${quoteName(name)}`).join(", ")} from ${quoteName(child)} c
    where ${present} and not exists (select 1 from ${quoteName(parent)} p where ${match})`;
}

function missingFrom(before: readonly ExactRow[], after: readonly ExactRow[]): ExactRow[] {
  return after.filter((row) => !before.some((one) => sameRow(one, row)));
}

/** Returns the rows whose restore created orphans (child rows without a parent): the deleted parent rows, or else the inserted child rows. */
function orphaning(rows: ReadonlySet<Row>, { child, parent, from, to }: Reference, orphans: readonly ExactRow[]): Row[] {
  const has = ({ io }: Row, row: ExactRow | null, table: string, columns: readonly string[], values: ExactRow): boolean =>
    row !== null && io.plan.name === table && columns.every((name, i) => String(valueOf(io.plan, row, name)) === String(values[i]));
  return orphans.flatMap((values) => {
    const parents = [...rows].filter((row) => has(row, row.now, parent, to, values));
    return parents.length > 0 ? parents : [...rows].filter((row) => has(row, row.root, child, from, values));
  });
}

function valueOf(plan: TablePlan, row: ExactRow, column: string): ExactValue {
  const at = plan.columns.findIndex(({ name }) => name.toLowerCase() === column.toLowerCase());
  return row[at < 0 ? 0 : at + plan.shownFrom] ?? null;
}

/**
 * Restores counters that still have the value that the run recorded, but never to less than the largest id in use. A counter that is missing or below
 * its original value is always restored, because it would generate existing ids again.
 */
function putCounters(db: Database, log: UndoLog): void {
  const { root, recorded } = keptCounters(db);
  const of = (rows: readonly ExactRow[], name: ExactValue): ExactValue | undefined => rows.find((row) => row[1] === name)?.[2];
  const now = log.counters();
  const lost = new Set<ExactValue>(log.tables.flatMap(({ plan }) => (plan.lost === undefined ? [] : [plan.name])));
  for (const name of new Set([...root, ...now].map((row) => row[1]!))) {
    if (lost.has(name)) continue;
    const before = of(root, name);
    const present = of(now, name);
    if (present === before) continue;
    const isLower = !isInHeader(name) && typeof before === "bigint" && !(typeof present === "bigint" && present > before);
    if (present !== of(recorded, name) && !isLower) continue;
    if (isInHeader(name)) {
      setInHeader(db, name, before);
      continue;
    }
    const inUse = typeof name === "string" ? largestRowid(db, name) : 0n;
    const wanted = typeof before === "bigint" && before > inUse ? before : inUse;
    if (before === undefined && inUse === 0n) db.prepare("delete from sqlite_sequence where name = ?").run(name);
    else if (present === undefined) db.prepare("insert into sqlite_sequence(name, seq) values(?, ?)").run(name, wanted);
    else db.prepare("update sqlite_sequence set seq = ? where name = ?").run(wanted, name);
  }
}

function largestRowid(db: Database, table: string): bigint {
  const isThere = db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table) !== undefined;
  if (!isThere) return 0n;
  return (
    db
      .prepare<[], bigint | null>(`select max(rowid) from ${quoteName(table)}`)
      .pluck()
      .safeIntegers()
      .get() ?? 0n
  );
}

function imagesOf({ io: { plan }, root, recorded, now, why }: Row): RowImages {
  return {
    table: plan.name,
    key: shownKey(plan, (root ?? recorded ?? now)!),
    root: rowImage(plan, root),
    recorded: rowImage(plan, recorded),
    now: rowImage(plan, now),
    ...(why !== undefined && { why }),
  };
}
