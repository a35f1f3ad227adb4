import type { Database } from "better-sqlite3";
import type { CheckpointChoice, SystemScope } from "../../model/system.ts";
import { JournalMode } from "./journal-mode.ts";
import type { SqliteMode } from "./mode.ts";
import { planTables } from "./table-plan.ts";

export type SqliteCheckpoint = "auto" | "journal" | "copy" | "savepoint";

export interface Choosing {
  readonly file: string;
  readonly wanted: SqliteCheckpoint;
  readonly scope: SystemScope;
  readonly tables: readonly string[] | undefined;
  /** The connection that the target has taken already. */
  readonly lent: Database | undefined;
  readonly connect: () => Database;
  readonly lend: () => Database;
  readonly previous: JournalMode | undefined;
}

export interface Chosen {
  readonly mode: SqliteMode;
  readonly choice: CheckpointChoice;
}

export function chooseMode(choosing: Choosing): Chosen {
  const db = choosing.connect();
  try {
    prepare(db, choosing.scope);
    const plans = planTables(db, choosing.tables);
    if (typeof plans === "string") throw new Error(plans);
    const mode = new JournalMode(db, choosing.file, plans, { previous: choosing.previous });
    return { mode, choice: { mode: "journal", why: "the target has connections of its own" } };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** How our own connection works. It never changes the file's journal mode. */
function prepare(db: Database, scope: SystemScope): void {
  // A put-back writes rows that were there: what checks them fails on none, and cascades would change others.
  db.pragma("foreign_keys = off");
  db.pragma("ignore_check_constraints = on");
  db.pragma("recursive_triggers = off");
  // A lane's file is thrown away after a crash. A borrowed one keeps the durability that its owner chose.
  if (!scope.borrowed) db.pragma("synchronous = off");
}
