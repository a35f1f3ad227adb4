import type { Database } from "better-sqlite3";
import { inUse } from "../connect/failures.ts";
import { installKept } from "./kept-rows.ts";
import { dropOurs, hasTable, lifeOf, readOwner, stamp, writing } from "./owner.ts";
import type { TablePlan } from "./table-plan.ts";
import { logTable, tableTriggers } from "./triggers.ts";

export interface Installation {
  readonly file: string;
  readonly plans: readonly TablePlan[];
  readonly token: string;
  /** The store is the user's: what it was is kept in it. */
  readonly borrowed: boolean;
}

/**
 * Puts the log and its triggers into the file, in one transaction, in place of what an earlier run may have left.
 *
 * @throws SeqqaError `STORE_IN_USE`; SqliteError busy, or what hinders journalling this schema.
 */
export function install(db: Database, { file, plans, token, borrowed }: Installation): void {
  writing(db, () => {
    // What a dead run left was put back before; who came in between is at work.
    if (borrowed) refuseInstalled(db, file);
    dropOurs(db);
    stamp(db, token);
    db.exec(logTable(plans, false));
    if (borrowed) installKept(db, plans);
    for (const plan of plans) for (const trigger of tableTriggers(plan, borrowed ? "leased" : "own")) db.exec(trigger);
    // A trigger is only read when it is first needed: see now that SQLite understands all of them.
    for (const plan of plans) {
      db.prepare(`insert into ${plan.sqlName}(${plan.stored.join(", ")}) values(${plan.stored.map(() => "null").join(", ")})`);
      db.prepare(`update ${plan.sqlName} set ${plan.stored.map((column) => `${column} = null`).join(", ")}`);
      db.prepare(`delete from ${plan.sqlName}`);
    }
  });
}

/** Takes out what is needed for journalling. Nothing is put back. */
export function uninstall(db: Database): void {
  writing(db, () => dropOurs(db));
}

/** Whether it is this installation, and whole. */
export function isInstalled(db: Database, token: string): boolean {
  return readOwner(db)?.token === token && hasTable(db, "seqqa_log");
}

/** Expects the write lock. @throws SeqqaError `STORE_IN_USE` */
export function refuseInstalled(db: Database, file: string): void {
  const owner = readOwner(db);
  if (owner !== undefined) throw inUse(file, owner, lifeOf(owner, db));
}
