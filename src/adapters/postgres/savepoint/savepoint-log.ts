import type { Catalog, Table } from "../schema/catalog.ts";
import { TEXT_SETTINGS } from "../connect/connect.ts";
import { counterFunctions } from "../journal/counter-sql.ts";
import { quoteText } from "../connect/sql-text.ts";
import { settingsFor, settingsToRead } from "../read/text-settings.ts";

export const TRIGGER = "zz_seqqa_savepoint";
export const LOG = "pg_temp.seqqa_log";

/** A statement that drops the undo log, its functions and their triggers, if they exist. */
export const removeLog: string = `do ${quoteText(`
declare r record;
begin
  for r in select p.oid::regprocedure::text as f from pg_proc p where p.pronamespace = pg_my_temp_schema() and p.proname like 'seqqa\\_%' loop
    execute 'drop function ' || r.f || ' cascade';
  end loop;
  drop table if exists ${LOG};
end`)}`;

/** A PL/pgSQL statement that fails in all sessions except the shared connection, because other sessions cannot write to the undo log. */
const REQUIRE_SHARED = `if pg_catalog.to_regclass('${LOG}') is null then
  raise exception 'seqqa explores this database with the checkpoint savepoint, which cannot undo writes over another connection'
    using hint = 'Write over the connection of the adapter, or set checkpoint: "journal".';
end if;`;

/** The names, without `pg_`, of system catalogs whose rows describe the schema. */
const CATALOGS =
  "class attribute attrdef constraint index trigger rewrite proc type enum sequence policy inherits namespace extension".split(" ");

/**
 * Returns the SQL statements that create row triggers and their undo log. The log is a temporary table, so a rollback removes its entries together
 * with the logged changes. All objects are temporary and end with the session, even if they were committed. The functions run with the rights of the
 * role that connected, even if the target has changed its role. `unlogged`: the oids of relations that fire no triggers.
 */
export function logStatements({ tables, sequences }: Catalog, unlogged: readonly string[]): string[] {
  const variants = new Map<string, Table>(tables.map((table) => [variantOf(table), table]));
  return [
    `create temporary table seqqa_log(id bigint generated always as identity primary key, rel oid, o text, n text)`,
    ...[...variants].map(([variant, table]) => rowFunction(variant, table)),
    ...tables.flatMap(triggers),
    ...counterFunctions(sequences, { counters: "pg_temp.seqqa_counters", put: "pg_temp.seqqa_put", definer: true }),
    routine(
      "seqqa_signal() returns text",
      `begin return pg_catalog.concat(${writesOf(CATALOGS.map((name) => `'pg_catalog.pg_${name}'::pg_catalog.regclass`))}, ' ', ${writesOf(unlogged)}); end`,
    ),
    routine(
      "seqqa_read(p_after bigint) returns table(id bigint, rel oid, o text, n text)",
      `#variable_conflict use_column
       begin
         return query select null::bigint, null::oid, pg_temp.seqqa_counters()::text, pg_temp.seqqa_signal();
         return query select l.id, l.rel, l.o, l.n from ${LOG} l where l.id > p_after order by l.id;
       end`,
    ),
    rowsRoutine("seqqa_rows", (name) => name !== "search_path"),
    rowsRoutine("seqqa_named_rows"),
  ];
}

/** Returns an SQL expression for the number of rows that this session has written in these relations. Rollbacks do not reduce this number. */
function writesOf(relations: readonly string[]): string {
  const count = (kind: string, relation: string): string => `pg_catalog.pg_stat_get_xact_tuples_${kind}(${relation})`;
  return relations.flatMap((one) => ["inserted", "updated", "deleted"].map((kind) => count(kind, one))).join(" + ");
}

/** Returns a CREATE FUNCTION statement for a function that reads the rows of a table. */
function rowsRoutine(name: string, isPinned: (setting: string) => boolean = () => true): string {
  return routine(
    `${name}(p_table text) returns setof text`,
    `begin return query execute pg_catalog.concat('select (seqqa_t.*)::pg_catalog.text from only '::pg_catalog.text, p_table, ' as seqqa_t'::pg_catalog.text); end`,
    Object.keys(TEXT_SETTINGS).filter(isPinned),
  );
}

function routine(signature: string, body: string, settings: readonly string[] = []): string {
  return `create function pg_temp.${signature} language plpgsql security definer${pinned(settings)} as ${quoteText(body)}`;
}

function pinned(settings: readonly string[]): string {
  return settings.map((name) => ` set ${name} = '${TEXT_SETTINGS[name]}'`).join("");
}

/** Returns the end of the name of a table's logging function. Tables with the same text settings share a function. */
function variantOf(table: Table): string {
  return settingsFor(table.types)
    .map((name) => Object.keys(TEXT_SETTINGS).indexOf(name))
    .join("_");
}

function rowFunction(variant: string, table: Table): string {
  const body = `begin ${REQUIRE_SHARED} insert into ${LOG}(rel, o, n) values (TG_RELID, OLD::pg_catalog.text, NEW::pg_catalog.text); return null; end`;
  return routine(`seqqa_row_${variant}() returns trigger`, body, settingsFor(table.types));
}

function triggers(table: Table): string[] {
  const { sqlName, oid } = table;
  const truncated = `begin ${REQUIRE_SHARED} insert into ${LOG}(rel, o) select TG_RELID, (seqqa_t.*)::pg_catalog.text from only ${sqlName} as seqqa_t; return null; end`;
  return [
    `create trigger ${TRIGGER} after insert or update or delete on ${sqlName} for each row execute function pg_temp.seqqa_row_${variantOf(table)}()`,
    routine(`seqqa_truncate_${oid}() returns trigger`, truncated, settingsToRead(table)),
    `create trigger ${TRIGGER}_truncate before truncate on ${sqlName} for each statement execute function pg_temp.seqqa_truncate_${oid}()`,
    // ENABLE ALWAYS: the triggers also fire while the target uses replica role.
    `alter table ${sqlName} enable always trigger ${TRIGGER}, enable always trigger ${TRIGGER}_truncate`,
  ];
}
