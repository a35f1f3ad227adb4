import type { Database } from "better-sqlite3";
import { inUse } from "../connect/failures.ts";
import { installFaults } from "../faults/fault-triggers.ts";
import { installKept } from "./kept-rows.ts";
import { dropOurs, hasTable, lifeOf, readOwner, stamp, writing } from "./owner.ts";
import type { TablePlan } from "./table-plan.ts";
import { logTable, tableTriggers } from "./triggers.ts";

export interface Installation {
  readonly file: string;
  readonly plans: readonly TablePlan[];
  readonly token: string;
  /** `true` if the store is the user's: its former content is kept in it. */
  readonly borrowed: boolean;
  /** `true` if writes are to be made to fail. */
  readonly faulty: boolean;
}

/**
 * Installs the log and its triggers in one transaction, in place of what an earlier run may have left.
 *
 * @throws SeqqaError `STORE_IN_USE`; SqliteError busy, or what prevents journalling this schema.
 */
export function install(db: Database, { file, plans, token, borrowed, faulty }: Installation): void {
  writing(db, () => {
    // Changes of a dead run were undone before: an installation that was made in between is that of a run at work.
    if (borrowed) refuseInstalled(db, file);
    dropOurs(db);
    stamp(db, token);
    db.exec(logTable(plans, false));
    if (borrowed) installKept(db, plans);
    for (const plan of plans) for (const trigger of tableTriggers(plan, borrowed ? "leased" : "own")) db.exec(trigger);
    if (faulty) installFaults(db, plans);
    // A trigger is only read when it is first needed: this shows now whether SQLite understands all of them.
    for (const plan of plans) {
      db.prepare(`insert into ${plan.sqlName}(${plan.stored.join(", ")}) values(${plan.stored.map(() => "null").join(", ")})`);
      db.prepare(`update ${plan.sqlName} set ${plan.stored.map((column) => `${column} = null`).join(", ")}`);
      db.prepare(`delete from ${plan.sqlName}`);
    }
  });
}

/** Removes what journalling needs. Nothing is restored. */
export function uninstall(db: Database): void {
  writing(db, () => dropOurs(db));
}

/** Returns `true` if the file holds this installation, and all of it. */
export function isInstalled(db: Database, token: string): boolean {
  return readOwner(db)?.token === token && hasTable(db, "seqqa_log");
}

/** Expects the write lock. @throws SeqqaError `STORE_IN_USE` */
export function refuseInstalled(db: Database, file: string): void {
  const owner = readOwner(db);
  if (owner !== undefined) throw inUse(file, owner, lifeOf(owner, db));
}
