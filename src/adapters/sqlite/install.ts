import type { Database } from "better-sqlite3";
import { quoteName } from "./sql-text.ts";
import type { TablePlan } from "./table-plan.ts";
import { logTable, tableTriggers } from "./triggers.ts";

/** Which installation this is: a later `open` recognises its own by it. */
const OWNER = "seqqa_owner";

/** Puts the log and its triggers into the file, in one transaction, in place of what an earlier run may have left. */
export function install(db: Database, plans: readonly TablePlan[], token: string): void {
  inTransaction(db, () => {
    drop(db);
    db.exec(`create table ${OWNER}(token text, pid integer)`);
    db.prepare(`insert into ${OWNER} values(?, ?)`).run(token, BigInt(process.pid));
    db.exec(logTable(plans, false));
    for (const plan of plans) for (const trigger of tableTriggers(plan, false)) db.exec(trigger);
    // A trigger is only read when it is first needed: see now that SQLite understands all of them.
    for (const plan of plans) {
      db.prepare(`insert into ${plan.sqlName}(${plan.stored.join(", ")}) values(${plan.stored.map(() => "null").join(", ")})`);
      db.prepare(`update ${plan.sqlName} set ${plan.stored.map((column) => `${column} = null`).join(", ")}`);
      db.prepare(`delete from ${plan.sqlName}`);
    }
  });
}

export function uninstall(db: Database): void {
  inTransaction(db, () => drop(db));
}

export function isInstalled(db: Database, token: string): boolean {
  const there = db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(OWNER);
  return there !== undefined && db.prepare(`select 1 from ${OWNER} where token = ?`).get(token) !== undefined;
}

function drop(db: Database): void {
  const ours = db
    .prepare<[], { type: string; name: string }>(
      "select type, name from sqlite_schema where type in ('table', 'trigger') and name like 'seqqa\\_%' escape '\\' order by type desc",
    )
    .all();
  for (const { type, name } of ours) db.exec(`drop ${type} if exists ${quoteName(name)}`);
}

function inTransaction(db: Database, work: () => void): void {
  db.exec("begin immediate");
  try {
    work();
    db.exec("commit");
  } catch (error) {
    if (db.inTransaction) db.exec("rollback");
    throw error;
  }
}
