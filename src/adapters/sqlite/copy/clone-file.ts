import { accessSync, closeSync, constants, copyFileSync, existsSync, openSync, readSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "better-sqlite3";
import { SeqqaError } from "../../../model/errors.ts";
import { reasonsOf } from "../../../model/stores/leftover.ts";
import { prepareControl } from "../connect/connect.ts";
import { cannotRecover, openError } from "../connect/failures.ts";
import { readOwner } from "../journal/owner.ts";
import { putBackKept } from "../journal/put-back-kept.ts";
import { sqlitePath } from "../connect/sqlite-path.ts";
import { openSqlite } from "../../../stores/connect/sqlite-driver.ts";

/** Files above this size (in bytes) are copied with `VACUUM INTO`, because `serialize` holds the whole file in memory. */
const LARGE = 512 * 1024 * 1024;

/**
 * Creates a lane's file: a copy of `source` including its write-ahead log, or an empty database if there is no `source`. The source is only read. If
 * a run is using the source or was killed while using it, the copy gets the content from before that run. The copy is switched to WAL mode at once,
 * because the journal mode cannot be changed while the target has the file open.
 *
 * @throws SeqqaError `STORE_NOT_FOUND`, `STORE_NOT_A_DATABASE`, `STORE_NOT_WRITABLE`
 */
export function cloneSqliteFile(source: string | undefined, target: string): void {
  const from = source === undefined ? undefined : sqlitePath(source);
  const to = sqlitePath(target);
  if (from !== undefined) requireDatabase(from);
  try {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(to + suffix, { force: true });
    if (from !== undefined) copy(from, to);
    const owner = inCopy(to, readOwner);
    inCopy(to, (db) => {
      if (owner !== undefined) {
        prepareControl(db);
        // A lane must not start with the changes of a dead run.
        const { keep, unlogged } = putBackKept(db, to, owner.token);
        const why = reasonsOf(keep)[0] ?? unlogged;
        if (why !== undefined) throw cannotRecover(from ?? to, why, "Run `seqqa clean`, which restores what can be restored.");
      }
      db.pragma("journal_mode = wal");
    });
  } catch (error) {
    if (!(error instanceof SeqqaError) && !isWritable(dirname(to)))
      throw openError(to, Object.assign(new Error("not writable", { cause: error }), { code: "EACCES" }));
    throw openError(from ?? to, error);
  }
}

function inCopy<T>(file: string, work: (db: Database) => T): T {
  const db = openSqlite(file);
  try {
    // Read the schema, so that a damaged copy causes an error here and not in the middle of a run.
    db.prepare("select count(*) from sqlite_schema").get();
    return work(db);
  } finally {
    db.close();
  }
}

/** Checks that the file exists and is not a directory. @throws SeqqaError `STORE_NOT_FOUND` */
export function requireDatabase(file: string): void {
  if (!existsSync(file) || !statSync(file).isFile()) throw openError(file, Object.assign(new Error("no such file"), { code: "ENOENT" }));
}

function copy(from: string, to: string): void {
  // An empty write-ahead log means that no process has the database open. Copy the bytes of the file, because opening the database would create files
  // next to it.
  if (journalMode(from) === "wal" && isEmpty(`${from}-wal`)) {
    copyFileSync(from, to);
    return;
  }
  const db = openSqlite(from, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    if (statSync(from).size > LARGE) db.prepare("vacuum into ?").run(to);
    else writeFileSync(to, serialized(db));
  } finally {
    db.close();
  }
}

/** Returns all pages of the database, including changes that are still in the write-ahead log. An empty file has no pages. */
function serialized(db: Database): Buffer {
  db.prepare("select count(*) from sqlite_schema").get();
  return db.pragma("page_count", { simple: true }) === 0 ? Buffer.alloc(0) : db.serialize();
}

/** Returns the journal mode that the file's header states. Opening the database to ask SQLite would lock the file. */
function journalMode(file: string): "wal" | "rollback" {
  const header = Buffer.alloc(20);
  const handle = openSync(file, "r");
  try {
    return readSync(handle, header, 0, 20, 0) === 20 && header[18] === 2 ? "wal" : "rollback";
  } finally {
    closeSync(handle);
  }
}

function isEmpty(file: string): boolean {
  return !existsSync(file) || statSync(file).size === 0;
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
