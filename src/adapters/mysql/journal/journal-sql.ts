import { createHash } from "node:crypto";
import type { Delta } from "../../../stores/journal/multiset-mirror.ts";
import { OURS, type Catalog, type Table } from "../schema/catalog.ts";
import { Cascades, checked } from "./cascades.ts";
import { imageOfRow, imageOfValue } from "./columns.ts";
import { OFF } from "../connect/control.ts";
import type { SchemaWatch } from "../schema/schema-watch.ts";
import { quoteName, quoteText } from "../connect/sql-text.ts";

export const LOG: string = `${OURS}log`;
/** The table with the changes to an external store that the run has recorded. Changes that are not recorded yet are in the undo log. */
export const KEPT: string = `${OURS}kept`;
/** The table with two times of a run on an external store: the beginning of the run, and the time of the last recorded changes. */
export const RUN: string = `${OURS}run`;
export const OWNER: string = `${OURS}owner`;

/**
 * Returns the name of the lock that the triggers of an external store check. The triggers log nothing if no session holds the lock. The name contains
 * the database, because MySQL's user locks belong to the whole server.
 */
export function leaseLock(database: string): string {
  return `seqqa lease ${createHash("sha256").update(database).digest("hex").slice(0, 32)}`;
}

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

/** Returns an SQL statement that saves the list of tables. A later comparison shows if a table was truncated or created again. */
export function keepTables(watch: Pick<SchemaWatch, "reading" | "seesTruncate">): string {
  return `insert into ${OWNER}(token, borrowed, tab, name, shape) values ('', 1, ${tablesMark(watch)}, '', ${quoteText(JSON.stringify(watch.reading))})`;
}

/** Returns an SQL statement that saves the number of rows of each table, for a later comparison. */
export function keepCounts(counts: readonly (readonly [table: string, rows: number])[]): string {
  return `insert into ${OWNER}(token, borrowed, tab, name, shape) values ('', 1, ${COUNTS}, '', ${quoteText(JSON.stringify(counts))})`;
}

/** The maximum number of rows in one SQL statement, because the server limits the length of a packet. */
const AT_ONCE = 200;
const LONGEST = 500_000;

/**
 * Returns SQL statements that record row changes with the number of the step that made the changes (`level`). A restore deletes the records with
 * higher levels.
 */
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

/**
 * Returns the value of the column `tab` that marks the row with the list of tables in the owner table. The list contains the ids or the creation
 * times of the tables, depending on the privileges of the user. The two kinds of lists cannot be compared.
 */
export function tablesMark({ seesTruncate }: Pick<SchemaWatch, "seesTruncate">): number {
  return seesTruncate ? -2 : -4;
}

/** The value of the column `tab` that marks the row with the row counts of all tables in the owner table. */
export const COUNTS = -3;

/** Returns a text that describes the columns of a table. A row image is valid only for a table with the same text. */
export function shapeOf({ columns, ignored, key }: Table): string {
  const text = JSON.stringify(columns);
  const hash = createHash("sha256").update(text).digest("hex");
  return [hash, ignored.join(), key.join(), Buffer.from(text).toString("base64")].join(":");
}

/** The parts of a {@link shapeOf} text. `columns` is empty for a text of an older release. */
export type Shape = Pick<Table, "columns" | "key" | "ignored">;

export function readShape(shape: string): Shape {
  const [, ignored = "", key = "", columns] = shape.split(":");
  const positions = (text: string): number[] => text.split(",").filter(Boolean).map(Number);
  return {
    columns: columns === undefined ? [] : (JSON.parse(Buffer.from(columns, "base64").toString()) as Table["columns"]),
    key: positions(key),
    ignored: positions(ignored),
  };
}

/**
 * Returns CREATE TRIGGER statements for the triggers that log row changes. A changed row is logged after its change, and the effects of foreign keys
 * before the change. Both entries have the same group. The effects count only if the row was changed, because a statement with IGNORE can skip the
 * row after its effects were logged. `lease`: the lock without which nothing is logged.
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
  const entry = `if not (${image("OLD")} <=> ${image("NEW")}) and ${made} then ${log(groupOf(updated), image("OLD"), image("NEW"))} end if;`;
  statements.push(trigger("au", "after update", entry));
  return statements;
}

/**
 * Returns SQL that detects if an UPDATE really changed a row. MariaDB also fires AFTER UPDATE for rows that UPDATE IGNORE could not change. If the
 * new value of a constrained column differs, the SQL therefore tests if the old row still exists. In a table without a key, the SQL compares the
 * number of equal rows before and after the UPDATE.
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
