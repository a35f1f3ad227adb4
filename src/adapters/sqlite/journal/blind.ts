import type { Database } from "better-sqlite3";

/**
 * Hides all triggers of the schema from this connection, but from no other. A restore on this connection then fires neither seqqa's triggers nor the
 * API's. To hide the triggers, they are dropped, the schema is read, and the transaction is rolled back, so the file never changes. The triggers stay
 * hidden until the schema version changes, so the version must be checked before each restore.
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

/** Makes this connection see the triggers that {@link blind} has hidden from it. */
export function unblind(db: Database): void {
  db.unsafeMode(true);
  db.pragma("writable_schema = reset");
  db.unsafeMode(false);
}
