import type { Database } from "better-sqlite3";

/**
 * Makes this connection, and no other, see a schema without triggers. A restore on it then fires neither seqqa's triggers nor the API's. To do so,
 * the triggers are dropped, the schema is read, and the transaction is rolled back, so the file never changes. The connection keeps this schema until
 * the schema version changes, so check the version before each restore.
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

/** Makes this connection see the triggers again that {@link blind} has hidden from it. */
export function unblind(db: Database): void {
  db.unsafeMode(true);
  db.pragma("writable_schema = reset");
  db.unsafeMode(false);
}
