import { createHash } from "node:crypto";
import type { Delta } from "../../../stores/multiset-mirror.ts";
import { OURS, type Catalog, type Table } from "../schema/catalog.ts";
import { Cascades, checked } from "./cascades.ts";
import { imageOfRow, imageOfValue } from "./columns.ts";
import { OFF, type Row } from "../connect/control.ts";
import { quoteName, quoteText } from "../connect/sql-text.ts";

export const LOG: string = `${OURS}log`;
/** Changes to an external store since it was opened, as the run last recorded them. The log holds those that are not recorded yet. */
export const KEPT: string = `${OURS}kept`;
/** The times at which a run on an external store began, and last recorded something. */
export const RUN: string = `${OURS}run`;
export const OWNER: string = `${OURS}owner`;

/** Returns the lock without which the triggers of an external store log nothing. It is server-wide, so its name differs between databases. */
export function leaseLock(database: string): string {
  return `seqqa lease ${createHash("sha256").update(database).digest("hex").slice(0, 32)}`;
}

/** Returns the statements that create our tables. */
export function tableStatements(token: string, borrowed: boolean, tables: readonly Table[]): string[] {
  const image = "longtext character set latin1 collate latin1_bin";
  return [
    `create table ${OWNER}(token varchar(64) character set latin1 not null, borrowed tinyint not null, tab int not null, name varchar(64) character set utf8mb4 not null, shape longtext character set utf8mb4) engine=InnoDB`,
    `create table ${LOG}(seq bigint unsigned not null auto_increment primary key, tab int not null, note tinyint not null, grp bigint unsigned, old ${image}, new ${image}) engine=InnoDB`,
    ...(borrowed
      ? [
          `create table ${KEPT}(level bigint not null, tab int not null, img ${image} not null, amount int not null, key (level)) engine=InnoDB`,
          `create table ${RUN}(since bigint not null, recorded bigint not null) engine=InnoDB`,
          `insert into ${RUN} values (${Date.now()},${Date.now()})`,
        ]
      : []),
    `insert into ${OWNER} values ${[...tables.map((table, i) => `('${token}',${borrowed ? 1 : 0},${i},${quoteText(table.name)},'${shapeOf(table)}')`), `('${token}',${borrowed ? 1 : 0},-1,'',NULL)`].join(",")}`,
  ];
}

/** Returns a statement that keeps the list of tables, which later shows that a table was truncated or created again. */
export function keepTables(reading: readonly Row[]): string {
  return `insert into ${OWNER}(token, borrowed, tab, name, shape) values ('', 1, ${TABLES}, '', ${quoteText(JSON.stringify(reading))})`;
}

/** The most rows and characters in one statement: the server has a longest packet. */
const AT_ONCE = 200;
const LONGEST = 500_000;

/** Records the run's changes of rows as part of a level: restoring an older state removes the levels above it. */
export function keepStatements(level: number, deltas: readonly Delta[]): string[] {
  const parts: string[][] = [];
  let length = Infinity;
  for (const { table, row, by } of deltas) {
    if (length > LONGEST || parts.at(-1)!.length >= AT_ONCE) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)!.push(`(${level},${table},'${row}',${by})`);
    length += row.length;
  }
  const insert = parts.map((part) => `insert into ${KEPT}(level,tab,img,amount) values ${part.join(",")}`);
  return [...insert, `update ${RUN} set recorded = ${Date.now()}`];
}

export function forgetAbove(level: number): string {
  return `delete from ${KEPT} where level > ${level}`;
}

/** The `tab` of the list of tables in the owner's table. */
export const TABLES = -2;

/**
 * Returns a digest of what the images of a table's rows depend on, since they mean nothing to a table of another shape, and the positions of ignored
 * columns.
 */
export function shapeOf({ columns, ignored }: Table): string {
  return `${createHash("sha256").update(JSON.stringify(columns)).digest("hex")}:${ignored.join()}`;
}

/** Returns the positions of ignored columns in a result of {@link shapeOf}. */
export function ignoredIn(shape: string): readonly number[] {
  return (shape.split(":")[1] ?? "").split(",").filter(Boolean).map(Number);
}

/**
 * Returns the triggers that log. Each row that a statement changes is logged after the change. The effects of foreign keys are noted before it, and
 * count only if the change was then made (with `IGNORE` a row may fail while the statement continues): both carry the same group. `lease`: the lock
 * without which nothing is logged.
 */
export function triggerStatements(catalog: Catalog, lease?: string): string[] {
  return catalog.tables.flatMap((table, index) => tableTriggers(catalog, table, index, lease));
}

function tableTriggers(catalog: Catalog, table: Table, index: number, lease: string | undefined): string[] {
  const logs = lease === undefined ? `${OFF} is null` : `${OFF} is null and is_used_lock('${lease}') is not null`;
  const image = (row: string): string => checked(imageOfRow(table.columns, ({ name }) => `${row}.${quoteName(name)}`));
  const [group, count] = [`@seqqa_g${index}`, `@seqqa_n${index}`];
  const trigger = (kind: string, when: string, body: string): string =>
    `create trigger ${OURS}${index}_${kind} ${when} on ${table.sqlName} for each row begin if ${logs} then ${body} end if; end`;
  const log = (grp: string, old: string, now: string): string =>
    `insert into ${LOG}(tab,note,grp,old,new) values (${index},0,${grp},${old},${now});`;
  const notes = (event: "delete" | "update"): string[] => new Cascades(catalog).notes(table, event, LOG, group);
  const noting = (all: readonly string[]): string =>
    all.length === 0
      ? ""
      : `set ${group} = NULL; if @@session.foreign_key_checks then set ${group} = uuid_short(); ${all.join(" ")} end if;`;
  const groupOf = (all: readonly string[]): string => (all.length > 0 ? group : "NULL");

  const statements = [trigger("ai", "after insert", log("NULL", "NULL", image("NEW")))];
  const deleted = notes("delete");
  if (deleted.length > 0) statements.push(trigger("bd", "before delete", noting(deleted)));
  statements.push(trigger("ad", "after delete", log(groupOf(deleted), image("OLD"), "NULL")));

  const updated = notes("update");
  const { before, made } = updateMade(table, count);
  if (updated.length > 0 || before !== "") statements.push(trigger("bu", "before update", before + noting(updated)));
  // An update that left the row as it was is no change.
  const entry = `if not (${image("OLD")} <=> ${image("NEW")}) and ${made} then ${log(groupOf(updated), image("OLD"), image("NEW"))} end if;`;
  statements.push(trigger("au", "after update", entry));
  return statements;
}

/**
 * Returns SQL that finds out whether an update changed a row. MariaDB fires AFTER UPDATE also for rows that UPDATE IGNORE could not change. Where a
 * value may have been refused, the row is looked at: it was changed if it is no longer there as it was, or, where rows have no key, is there one time
 * less.
 */
function updateMade(table: Table, count: string): { before: string; made: string } {
  if (table.constrained.length === 0) return { before: "", made: "true" };
  const of = (row: string): string => imageOfRow(table.columns, ({ name }) => `${row}.${quoteName(name)}`);
  const columns = table.constrained.map((at) => table.columns[at]!);
  const moved = columns
    .map((column) => `${imageOfValue(column, `OLD.${quoteName(column.name)}`)} <> ${imageOfValue(column, `NEW.${quoteName(column.name)}`)}`)
    .join(" or ");
  const like = (names: readonly string[]): string =>
    [...names.map((name) => `c.${name} <=> OLD.${name}`), `${of("c")} = ${of("OLD")}`].join(" and ");
  if (table.key.length > 0) {
    const key = table.key.map((at) => quoteName(table.columns[at]!.name));
    return { before: "", made: `if(${moved}, not exists(select 1 from ${table.sqlName} c where ${like(key)}), true)` };
  }
  const some = `(select count(*) from ${table.sqlName} c where ${like(columns.map(({ name }) => quoteName(name)))})`;
  return { before: `if ${moved} then set ${count} = ${some}; end if;`, made: `if(${moved}, ${some} < ${count}, true)` };
}
