import type { Database } from "better-sqlite3";
import type { TablePlan } from "../journal/table-plan.ts";

/**
 * The table that controls the fault triggers. A code stands for a kind of write to one table.
 * - Without a row, the triggers do nothing.
 * - With a row without a code, the triggers count writes.
 * - With a row with a code, the first `passed` writes with this code succeed, and all later ones fail.
 */
export const FAULT = "seqqa_fault";
/** The table in which the fault triggers list the counted writes, in order. A rollback by the target removes its writes from the list. */
export const PASSED = "seqqa_passed";

const KINDS = ["insert", "update", "delete"] as const;

/**
 * Installs the triggers that count writes and make them fail. SQLite fires the newest trigger first, so these triggers fire before all other
 * triggers.
 */
export function installFaults(db: Database, plans: readonly TablePlan[]): void {
  db.exec(`create table ${FAULT}(code, passed)`);
  db.exec(`create table ${PASSED}(seq integer primary key, code)`);
  for (const { index, sqlName } of plans) {
    for (const [at, kind] of KINDS.entries()) {
      const code = codeOf(index, at);
      db.exec(`create trigger seqqa_f${code} before ${kind} on ${sqlName} when exists (select 1 from ${FAULT}) begin
  select raise(abort, 'could not write: a fault made by seqqa') from ${FAULT}
   where code = ${code} and passed <= (select count(*) from ${PASSED} where code = ${code});
  insert into ${PASSED}(code) values(${code});
end`);
    }
  }
}

export function statementOf(code: number, plans: readonly { readonly name: string }[]): string {
  return `${KINDS[code % KINDS.length]!.toUpperCase()} ${plans[Math.floor(code / KINDS.length)]!.name}`;
}

function codeOf(table: number, kind: number): number {
  return table * KINDS.length + kind;
}
