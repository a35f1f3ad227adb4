import type { Database } from "better-sqlite3";
import { BUSY_WAIT_MS, isBusy, openError } from "./failures.ts";
import { openSqlite } from "../../../stores/connect/sqlite-driver.ts";

/** Opens a connection to the file for seqqa's own use. @throws SeqqaError `STORE_*` if the file cannot be opened; SqliteError if it is locked */
export function connect(file: string, mustExist: boolean = true): Database {
  let db: Database | undefined;
  try {
    db = openSqlite(file, { fileMustExist: mustExist, timeout: BUSY_WAIT_MS });
    db.prepare("select 1 from sqlite_schema").get();
    return db;
  } catch (error) {
    db?.close();
    throw isBusy(error) ? error : openError(file, error);
  }
}

/**
 * Disables constraints and cascades on the connection that restores rows. Restored rows existed before, so no constraint must reject them. A cascade
 * would change other rows.
 */
export function prepareControl(db: Database): void {
  db.pragma("foreign_keys = off");
  db.pragma("ignore_check_constraints = on");
  db.pragma("recursive_triggers = off");
}
