import { OURS, type Catalog, type Table } from "./catalog.ts";
import { Cascades, checked } from "./cascades.ts";
import { imageOfRow } from "./columns.ts";
import { OFF } from "./control.ts";
import { quoteName, quoteText } from "./sql-text.ts";

export const LOG = `${OURS}log`;
/** Of a borrowed store: what was written into it without being logged. */
export const KEPT = `${OURS}kept`;
export const OWNER = `${OURS}owner`;

/** Tables of ours. `borrowed`: what is logged is kept until the end. */
export function tableStatements(token: string, borrowed: boolean, tables: readonly Table[]): string[] {
  const image = "longtext character set latin1 collate latin1_bin";
  return [
    `create table ${OWNER}(token varchar(64) character set latin1 not null, borrowed tinyint not null, tab int not null, name varchar(64) character set utf8mb4 not null) engine=InnoDB`,
    `create table ${LOG}(seq bigint unsigned not null auto_increment primary key, tab int not null, note tinyint not null, grp bigint unsigned, old ${image}, new ${image}) engine=InnoDB`,
    `create table ${KEPT}(root int not null, tab int not null, img ${image} not null, amount int not null) engine=InnoDB`,
    `insert into ${OWNER} values ${[...tables.map(({ name }, i) => `('${token}',${borrowed ? 1 : 0},${i},${quoteText(name)})`), `('${token}',${borrowed ? 1 : 0},-1,'')`].join(",")}`,
  ];
}

/**
 * The triggers that log. Each row that a statement changes is logged after it was changed; what foreign keys will do is noted before that, and
 * counts only if the change was then made (`IGNORE` lets a row fail and the statement go on): both carry the same group.
 */
export function triggerStatements(catalog: Catalog): string[] {
  return catalog.tables.flatMap((table, index) => tableTriggers(catalog, table, index));
}

function tableTriggers(catalog: Catalog, table: Table, index: number): string[] {
  const image = (row: string): string => checked(imageOfRow(table.columns, ({ name }) => `${row}.${quoteName(name)}`));
  const group = `@seqqa_g${index}`;
  const trigger = (kind: string, when: string, body: string): string =>
    `create trigger ${OURS}${index}_${kind} ${when} on ${table.sqlName} for each row begin if ${OFF} is null then ${body} end if; end`;
  const log = (grp: string, old: string, now: string): string => `insert into ${LOG}(tab,note,grp,old,new) values (${index},0,${grp},${old},${now});`;
  const statements = [trigger("ai", "after insert", log("NULL", "NULL", image("NEW")))];
  for (const event of ["delete", "update"] as const) {
    const notes = new Cascades(catalog).notes(table, event, LOG, group);
    const grp = notes.length > 0 ? group : "NULL";
    if (notes.length > 0) {
      const body = `set ${group} = NULL; if @@session.foreign_key_checks then set ${group} = uuid_short(); ${notes.join(" ")} end if;`;
      statements.push(trigger(`b${event[0]!}`, `before ${event}`, body));
    }
    const now = event === "delete" ? "NULL" : image("NEW");
    const entry = log(grp, image("OLD"), now);
    // What changed nothing was no change.
    statements.push(trigger(`a${event[0]!}`, `after ${event}`, event === "delete" ? entry : `if not (${image("OLD")} <=> ${now}) then ${entry} end if;`));
  }
  return statements;
}
