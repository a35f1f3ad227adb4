import type { Database } from "better-sqlite3";
import { BUSY_WAIT_MS, isBusy, openError } from "./failures.ts";
import { openSqlite } from "../../../stores/sqlite-driver.ts";

/** Opens a connection of ours. @throws SeqqaError `STORE_*` that says why there is none; SqliteError busy */
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

/** Prepares a connection for restores, which write rows that were there: checks must fail on none of them, and cascades would change others. */
export function prepareControl(db: Database): void {
  db.pragma("foreign_keys = off");
  db.pragma("ignore_check_constraints = on");
  db.pragma("recursive_triggers = off");
}
