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
  /** `true` if the file is external. The original values of changed rows are then saved in the file. */
  readonly borrowed: boolean;
  /** `true` if the run tests faults, so that fault triggers are installed, too. */
  readonly faulty: boolean;
}

/**
 * Creates the journal's tables and triggers in one transaction. First removes the tables and triggers that an earlier run may have left.
 *
 * @throws SeqqaError `STORE_IN_USE`; SqliteError if the file is locked or the schema cannot be journalled
 */
export function install(db: Database, { file, plans, token, borrowed, faulty }: Installation): void {
  writing(db, () => {
    // Changes of dead runs have been undone before this call. If the external file still contains journal tables, they belong to a live run.
    if (borrowed) refuseInstalled(db, file);
    dropOurs(db);
    stamp(db, token);
    db.exec(logTable(plans, false));
    if (borrowed) installKept(db, plans);
    for (const plan of plans) for (const trigger of tableTriggers(plan, borrowed ? "leased" : "own")) db.exec(trigger);
    if (faulty) installFaults(db, plans);
    // SQLite compiles a trigger when a statement that fires it is prepared. Prepare such statements now, to find invalid triggers before the run
    // begins.
    for (const plan of plans) {
      db.prepare(`insert into ${plan.sqlName}(${plan.stored.join(", ")}) values(${plan.stored.map(() => "null").join(", ")})`);
      db.prepare(`update ${plan.sqlName} set ${plan.stored.map((column) => `${column} = null`).join(", ")}`);
      db.prepare(`delete from ${plan.sqlName}`);
    }
  });
}

export function uninstall(db: Database): void {
  writing(db, () => dropOurs(db));
}

export function isInstalled(db: Database, token: string): boolean {
  return readOwner(db)?.token === token && hasTable(db, "seqqa_log");
}

/** Throws if the file contains a journal of another run. The caller must hold the write lock. @throws SeqqaError `STORE_IN_USE` */
export function refuseInstalled(db: Database, file: string): void {
  const owner = readOwner(db);
  if (owner !== undefined) throw inUse(file, owner, lifeOf(owner, db));
}
