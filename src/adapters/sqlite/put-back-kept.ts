import type { Database } from "better-sqlite3";
import { sameRow, type Fix } from "../../systems/index.ts";
import { blind, unblind } from "./blind.ts";
import { cannotRecover, isBusy, notPutBack } from "./failures.ts";
import { keptCounters, keptRows, layoutOf, recordedTables } from "./kept.ts";
import { dropOurs, hasTable, writing } from "./owner.ts";
import { planTables, type TablePlan } from "./table-plan.ts";
import { LOG } from "./triggers.ts";
import { UndoLog } from "./undo-log.ts";

const MOST_TRIES = 20;

/**
 * Puts a journalled file of the user's back to what it was when it was opened, by nothing but what stands in it, and removes everything of
 * ours. A write of the target in between is put back too. Whatever ends this process, the next one can do the same again.
 *
 * @throws SqliteError busy; SeqqaError `STORE_NOT_PUT_BACK`
 */
export function putBackKept(db: Database, file: string): void {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    unblind(db);
    const plans = plansOf(db, file);
    if (plans !== undefined) {
      blind(db);
      const quiet = putBack(db, file, plans);
      unblind(db);
      if (!quiet) continue;
    }
    if (removed(db, plans !== undefined)) return;
  }
  throw notPutBack(file, new Error("the target goes on writing or changing the schema"));
}

/** The tables as the log numbers them; `undefined`: nothing is kept, since the installation was in a lane's own file. */
function plansOf(db: Database, file: string): TablePlan[] | undefined {
  const recorded = recordedTables(db);
  if (recorded === undefined) return undefined;
  const present = planTables(db, undefined);
  if (typeof present === "string") throw cannotRecover(file, present);
  return recorded.map(({ name, layout }, index) => {
    const plan = present.find((one) => one.name === name);
    if (plan === undefined) throw cannotRecover(file, `table "${name}" was dropped`);
    if (layoutOf(plan) !== layout) throw cannotRecover(file, `table "${name}" was altered`);
    return { ...plan, index };
  });
}

/** @returns whether it is done; `false`: the schema moved on in between. */
function putBack(db: Database, file: string, plans: readonly TablePlan[]): boolean {
  const version = db.pragma("schema_version", { simple: true });
  db.exec("begin immediate");
  try {
    if (db.pragma("schema_version", { simple: true }) !== version || !hasTable(db, LOG)) {
      db.exec("rollback");
      return false;
    }
    const log = new UndoLog(db, file, plans);
    log.sync();
    const quiet = log.apply(fixesToKept(db, log), keptCounters(db));
    db.exec(quiet ? "commit" : "rollback");
    return quiet;
  } catch (error) {
    if (db.inTransaction) db.exec("rollback");
    throw isBusy(error) ? error : notPutBack(file, error);
  }
}

function fixesToKept(db: Database, log: UndoLog): Fix[] {
  const fixes: Fix[] = [];
  const kept = log.tables.map(() => new Set<unknown>());
  for (const { table, key, image } of keptRows(db, log.tables)) {
    const io = log.tables[table]!;
    const rowKey = io.keyFrom(key);
    kept[table]!.add(rowKey);
    const known = log.mirror.slot(table, rowKey);
    const now = known === undefined ? io.read(key) : known.now;
    fixes.push({ slot: known ?? { table, key: rowKey, base: now, now }, wanted: image });
  }
  for (const [table, met] of kept.entries()) {
    for (const slot of log.mirror.slotsOf(table)) if (!met.has(slot.key)) fixes.push({ slot, wanted: slot.base });
  }
  return fixes.filter(({ slot, wanted }) => !sameRow(slot.now, wanted));
}

/** @returns `false`: the target wrote once more. */
function removed(db: Database, needsQuiet: boolean): boolean {
  return writing(db, () => {
    if (needsQuiet && hasTable(db, LOG) && db.prepare(`select 1 from ${LOG}`).get() !== undefined) return false;
    dropOurs(db);
    return true;
  });
}
