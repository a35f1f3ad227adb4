import type { Database } from "better-sqlite3";
import { quoteName } from "../connect/sql-text.ts";
import type { TablePlan } from "./table-plan.ts";

/** The table of the undo log. Its column `code` is twice the number of the changed table, plus 1 if the row did not exist before the change. */
export const LOG = "seqqa_log";

/**
 * The table with the lease of a run that uses an external file. The triggers log changes only while the lease is valid. Its column `late` is the time
 * of the first change that was not logged.
 */
export const LEASE = "seqqa_lease";

/** An SQL expression for the current time in seconds since 1970, which works in every version of SQLite. */
export const SECONDS = "cast(strftime('%s', 'now') as integer)";

/** Returns the CREATE TABLE statement of the undo log. Its columns have no type, so they store the values of every table unchanged. */
export function logTable(plans: readonly TablePlan[], temporary: boolean): string {
  const width = Math.max(1, ...plans.map((plan) => plan.stored.length));
  return `create ${temporary ? "temp " : ""}table ${LOG}(seq integer primary key, code, ${names(width)})`;
}

/** Returns `false` if the table with this name and this number in the undo log has lost its triggers, for example because it was dropped. */
export function hasTriggers(db: Database, name: string, index: number): boolean {
  const trigger = db.prepare("select 1 from sqlite_schema where type = 'trigger' and name = ? and tbl_name = ? collate nocase");
  return trigger.get(`seqqa_d${index}`, name) !== undefined;
}

function names(width: number): string {
  return Array.from({ length: width }, (_, i) => `c${i}`).join(", ");
}

/**
 * Returns CREATE TRIGGER statements that log the changes of a table. A row's first log entry after a checkpoint contains its values at that
 * checkpoint, or says that the row did not exist. New values are not logged, because they can be read from the table.
 *
 * Old rows are logged *before* the change, so the order in which the API's own triggers fire does not matter. New rows are logged after the change,
 * when their rowid is known. SQLite fires the newest trigger first, so seqqa's triggers fire before the API's. The triggers use only features of old
 * SQLite versions.
 *
 * `kind`: `temporary` triggers exist only on this connection. `leased` triggers, for an external file, stop logging when the run's lease expires, and
 * note the time of the first change that they do not log.
 */
export function tableTriggers(plan: TablePlan, kind: "own" | "leased" | "temporary"): string[] {
  const table = plan.sqlName;
  const image = (of: string): string => plan.stored.map((column) => `${of}.${column}`).join(", ");
  const width = names(plan.stored.length);
  const keys = plan.keyAt.map((at) => plan.stored[at] as string);
  const insert = `insert into ${LOG}(code, ${width})`;
  const was = `${insert} select ${plan.index * 2}, ${image("OLD")}`;
  const appeared = `insert into ${LOG}(code, ${plan.keyAt.map((at) => `c${at}`).join(", ")}) select ${plan.index * 2 + 1}, ${keys.map((key) => `NEW.${key}`).join(", ")}`;
  const displaced = (condition: string): string =>
    `${insert} select ${plan.index * 2}, ${plan.stored.join(", ")} from ${table} where ${condition}`;
  const alive = `${SECONDS} < (select until from ${LEASE})`;
  const late = `update ${LEASE} set late = ${SECONDS} where late is null and until <= ${SECONDS}`;
  const create = (name: string, on: string, body: readonly string[], when: readonly string[] = []): string => {
    const conditions = when.join(" and ");
    const head = `create ${kind === "temporary" ? "temp " : ""}trigger seqqa_${name}${plan.index} ${on}`;
    return `${head}${conditions === "" ? "" : ` when ${conditions}`} begin ${body.map((one) => `${one};`).join(" ")} end`;
  };

  // REPLACE deletes conflicting rows without firing delete triggers. Therefore log every row that conflicts with the new row. An extra log entry does
  // no harm if the row is not deleted.
  const conflicts = plan.uniques.map((unique) => unique.conflict);
  if (!plan.withoutRowid) conflicts.unshift(`${keys[0]} = NEW.${keys[0]}`);
  const another = plan.withoutRowid
    ? `not (${keys.map((key) => `${key} is OLD.${key} collate binary`).join(" and ")})`
    : `${keys[0]} <> OLD.${keys[0]}`;
  const rekeyed = keys.map((key) => `OLD.${key} is not NEW.${key} collate binary`).join(" or ");
  const isLeased = kind === "leased";
  const logged = (entry: string): string[] => (isLeased ? [`${entry} where ${alive}`, late] : [entry]);
  const whileAlive = isLeased ? [alive] : [];
  return [
    create("i", `after insert on ${table}`, logged(appeared)),
    create("d", `before delete on ${table}`, logged(was)),
    create("u", `before update on ${table}`, logged(was)),
    create("k", `after update of ${rowidColumns(plan, keys).join(", ")} on ${table}`, [appeared], [...whileAlive, `(${rekeyed})`]),
    create("r", `before insert on ${table}`, conflicts.map(displaced), whileAlive),
    create(
      "s",
      `before update${displacingColumns(plan, keys)} on ${table}`,
      conflicts.map((one) => displaced(`${another} and ${one}`)),
      whileAlive,
    ),
  ];
}

/** Returns all names by which UPDATE OF can name the key columns. The rowid has several names, and SQLite compares the names as they are written. */
function rowidColumns(plan: TablePlan, keys: readonly string[]): string[] {
  return plan.withoutRowid ? [...keys] : [...new Set([...keys.map((key) => key), "rowid", "_rowid_", "oid"])];
}

function displacingColumns(plan: TablePlan, keys: readonly string[]): string {
  const columns = new Set(rowidColumns(plan, keys));
  for (const { decidedBy } of plan.uniques) {
    if (decidedBy === undefined) return "";
    for (const column of decidedBy) columns.add(quoteName(column));
  }
  return ` of ${[...columns].join(", ")}`;
}
