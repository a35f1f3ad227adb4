import type { Database } from "better-sqlite3";

/**
 * Makes this connection, and no other, see the schema without triggers, so that a restore fires none: neither ours, nor the API's. The triggers are
 * deleted and the schema is read again inside a transaction that is then rolled back. The file never changes. The connection keeps the schema that it
 * has read until the schema's version changes; so check that before each restore.
 *
 * @throws SqliteError busy, when another connection is writing.
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

/** Makes the connection see everything again. */
export function unblind(db: Database): void {
  db.unsafeMode(true);
  db.pragma("writable_schema = reset");
  db.unsafeMode(false);
}
