import type { Database } from "better-sqlite3";

/**
 * Makes only this connection see the schema without triggers, so that a restore fires neither seqqa's triggers nor the API's. The triggers are
 * deleted and the schema is read inside a transaction that is rolled back, so the file never changes. The connection keeps this schema until the
 * schema version changes. Callers must check the version before each restore.
 *
 * @throws SqliteError if another connection is writing
 */
export function blind(db: Database): void {
  db.unsafeMode(true);
  try {
    db.exec("begin immediate");
    try {
      db.pragma("writable_schema = on");
      db.exec("delete from sqlite_schema where type = 'trigger'");
      db.pragma("writable_schema = reset");
      db.prepare("select 1 from sqlite_schema").get();
    } finally {
      db.exec("rollback");
      db.pragma("writable_schema = off");
    }
  } finally {
    db.unsafeMode(false);
  }
}

/** Makes the connection see the real schema again. */
export function unblind(db: Database): void {
  db.unsafeMode(true);
  db.pragma("writable_schema = reset");
  db.unsafeMode(false);
}
