import { OURS, type Catalog, type Table } from "../schema/catalog.ts";
import { TEXT_SETTINGS } from "../connect/connect.ts";
import { cachedStatements, counterFunctions, NOTE_CACHED } from "./counter-sql.ts";
import { gateStatements } from "../gate/gate-sql.ts";
import { LEASE_HOLDS, leaseStatements, REQUIRE_LEASE } from "./lease-sql.ts";
import type { OwnerFacts } from "../put-back/owner-facts.ts";
import { ownerStatements } from "../put-back/owner-put-sql.ts";
import { putAllFunction } from "../put-back/put-all-sql.ts";
import { changesRows, createPutFunction, judgedFunction, judgedImage } from "../put-back/put-back-sql.ts";
import type { Rights } from "./rights.ts";
import { SHAPE_CHANGED, SHAPE_FUNCTION } from "../schema/shape-sql.ts";
import { quoteText } from "../connect/sql-text.ts";
import { settingsFor, settingsToRead } from "../read/text-settings.ts";
import { OWN_PATH, USER_PATH } from "../read/user-path.ts";

/** A setting that only seqqa's control session has. The triggers do not log changes of a session with this setting. */
export const CONTROL_SWITCH = "seqqa.control";

const TRIGGER = "zz_seqqa_journal";

export interface JournalOptions {
  /** Identifies this journal, to distinguish the journal from earlier journals. */
  readonly token: string;
  /** `true` for an external store. The undo log of an external store must survive a killed run and a crash of the server. */
  readonly borrowed: boolean;
  readonly gated: boolean;
  /** The rights of the role that installs the journal and restores rows. */
  readonly rights: Rights;
  /** Data about each table for restoring its rows with the rights of its owner. `undefined` for a superuser. */
  readonly facts: ReadonlyMap<string, OwnerFacts> | undefined;
}

export function installStatements({ tables, sequences }: Catalog, { token, borrowed, gated, rights, facts }: JournalOptions): string[] {
  const kept = sequences.filter(({ cached }) => !cached);
  const cached = sequences.filter((one) => one.cached);
  const variants = new Map<string, Table>();
  for (const table of tables) variants.set(variantOf(table), table);
  return [
    `drop schema if exists ${OURS} cascade`,
    `create schema ${OURS}`,
    // `counters`: the values of the sequences when the store was opened. `recorded`: their values at the time `recorded_ms`. `shape`: hash of the
    // schema.
    // `pid`: the session of the run.
    `create table ${OURS}.owner(token text, tables text, sequences text, counters bigint[], recorded bigint[], since_ms bigint, recorded_ms bigint, shape text, pid int)`,
    // `rel`: the table, or 0 for a schema change. `o`, `n`: the old and the new row. `place`: the new row's `ctid`, only in a table without a key.
    `create ${borrowed ? "" : "unlogged "}table ${OURS}.log(rel oid, o text, n text, place tid) with (autovacuum_enabled = off, toast.autovacuum_enabled = off)`,
    ...(borrowed
      ? // The log entries that were read and led to the current state. After a killed run, a later run restores the data from this table.
        [
          `create table ${OURS}.kept(step bigint, rel oid, o text, n text) with (autovacuum_enabled = off, toast.autovacuum_enabled = off)`,
          ...leaseStatements,
        ]
      : []),
    ...[...variants].map(([variant, table]) => rowFunction(variant, table, borrowed)),
    ...tables.flatMap((table) => triggers(table, borrowed)),
    USER_PATH,
    ...tables.map(createPutFunction),
    ...judgedFunction(tables),
    // Install the functions for restores without replica role even if the role is allowed to use replica role: the role may have lost this privilege
    // when a later run restores the data.
    ...(facts === undefined ? [] : ownerStatements(tables, facts, CONTROL_SWITCH)),
    OWN_PATH,
    ...counterFunctions(kept, { counters: `${OURS}.counters`, put: `${OURS}.put_counters` }),
    ...cachedStatements(cached),
    // Without a replica identity, PostgreSQL refuses changes of these tables if a publication FOR ALL TABLES includes them.
    ...["owner", "log", "cached", ...(borrowed ? ["kept"] : [])].map((name) => `alter table ${OURS}.${name} replica identity full`),
    BUSY_FUNCTION,
    ...(rights.superuser ? [] : [SHAPE_FUNCTION]),
    readFunction(borrowed, !rights.superuser, judgedImage(tables)),
    putAllFunction(tables, { borrowed, ...rights, controlSwitch: CONTROL_SWITCH }),
    ...(gated ? gateStatements(CONTROL_SWITCH) : []),
    `insert into ${OURS}.owner values(${[
      quoteText(token),
      quoteText(JSON.stringify(tables.map((table): RecordedTable => [table.oid, layoutOf(table)]))),
      quoteText(JSON.stringify(kept.map(({ oid }) => oid))),
      `${OURS}.counters(), ${OURS}.counters(), ${NOW_MS}, ${NOW_MS}, null`,
      "pg_backend_pid()",
    ].join(", ")})`,
    ...(rights.superuser ? ddlFunctions(borrowed) : [`update ${OURS}.owner set shape = ${OURS}.shape()`]),
  ];
}

/** An SQL expression for the current time in milliseconds since 1970. */
const NOW_MS = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

export type RecordedTable = readonly [oid: string, layout: string];

/** Returns a text that describes the layout of a table. Logged rows can be restored only to a table with the same layout. */
export function layoutOf({ fullName, columns, key, types, ignored }: Table): string {
  return JSON.stringify([fullName, columns, key, types, ignored]);
}

/** The parts of a {@link layoutOf} text. */
export type Layout = Pick<Table, "columns" | "key" | "types" | "ignored"> & { readonly name: string };

export function readLayout(layout: string): Layout {
  const [name, columns, key, types, ignored = []] = JSON.parse(layout) as [
    string,
    Table["columns"],
    Table["key"],
    Table["types"],
    Table["ignored"]?,
  ];
  return { name, columns, key, types, ignored };
}

/**
 * Returns the end of the name of a table's logging function. Two tables share a function if they have the same text settings and if both or neither
 * have a key.
 */
function variantOf(table: Table): string {
  return `${settingsFor(table.types)
    .map((name) => Object.keys(TEXT_SETTINGS).indexOf(name))
    .join("")}${table.key.length > 0 ? "k" : "w"}`;
}

function pinned(settings: readonly string[]): string {
  return settings.map((name) => ` set ${name} = '${TEXT_SETTINGS[name]}'`).join("");
}

/**
 * Returns a CREATE FUNCTION statement for the function that logs changed rows. The function runs with the rights of its owner, so that the target's
 * role needs no privilege for the undo log. The function contains no operators, because the meaning of an operator depends on the search_path.
 */
function rowFunction(variant: string, table: Table, leased: boolean): string {
  const place = table.key.length > 0 ? "" : ", NEW.ctid";
  const log = `insert into ${OURS}.log(rel, o, n${place === "" ? "" : ", place"}) values (TG_RELID, OLD::pg_catalog.text, NEW::pg_catalog.text${place})`;
  const body = `begin ${whileLeased(log, leased)}; return null; end`;
  return `create function ${OURS}.row_${variant}() returns trigger language plpgsql security definer${pinned(settingsFor(table.types))} as ${quoteText(body)}`;
}

/** Returns a PL/pgSQL statement that executes `statement` only while the lease is valid. The triggers of a killed run then stop logging. */
function whileLeased(statement: string, leased: boolean): string {
  return leased ? `if ${LEASE_HOLDS} then ${statement}; end if` : statement;
}

function triggers(table: Table, leased: boolean): string[] {
  const { sqlName, oid } = table;
  const log = `insert into ${OURS}.log(rel, o) select TG_RELID, (seqqa_t.*)::pg_catalog.text from only ${sqlName} as seqqa_t`;
  const truncated = `#variable_conflict use_variable\nbegin ${whileLeased(log, leased)}; return null; end`;
  const apart = `when (pg_catalog.current_setting('${CONTROL_SWITCH}', true) is null)`;
  return [
    `create trigger ${TRIGGER} after insert or update or delete on ${sqlName} for each row ${apart} execute function ${OURS}.row_${variantOf(table)}()`,
    `create function ${OURS}.truncate_${oid}() returns trigger language plpgsql security definer${pinned(settingsToRead(table))} as ${quoteText(truncated)}`,
    `create trigger ${TRIGGER}_truncate before truncate on ${sqlName} for each statement ${apart} execute function ${OURS}.truncate_${oid}()`,
    // ENABLE ALWAYS: the triggers also fire in sessions of the target that use replica role.
    `alter table ${sqlName} enable always trigger ${TRIGGER}, enable always trigger ${TRIGGER}_truncate`,
  ];
}

/**
 * A CREATE FUNCTION statement for the function `busy`, which names the other sessions with an open write transaction in this database, and prepared
 * transactions; NULL if there are none. Reading the list of sessions is slow, so the function reads the list only if some transaction has an id. The
 * transaction snapshot and `age` show whether such a transaction exists. A role sees the ids of other roles' transactions but not the kind of their
 * sessions, so sessions of unknown kind count as clients.
 */
const BUSY_FUNCTION = `create function ${OURS}.busy() returns text language plpgsql as ${quoteText(`
declare s txid_snapshot := txid_current_snapshot(); me oid;
begin
  if txid_snapshot_xmin(s) = txid_snapshot_xmax(s) and age((txid_snapshot_xmax(s) % 4294967296)::text::xid) <= 0 then return null; end if;
  select oid into me from pg_database where datname = current_database();
  return nullif(concat_ws(', ',
    (select string_agg(format('session %s (%s)', a.pid, coalesce(nullif(a.application_name, ''), 'unnamed')), ', ')
       from pg_stat_get_activity(null) a
      where a.datid = me and a.pid <> pg_backend_pid() and a.backend_xid is not null and a.usesysid is not null
        and coalesce(a.backend_type, 'client backend') = 'client backend'),
    (select 'prepared transaction ' || min(p.gid) from pg_prepared_xacts p where p.database = current_database())), '');
end`)}`;

/** The text in the last result row of a read that found writes of other clients. This result row names no table. */
export const FOREIGN = "foreign";
const FOREIGN_STATE = "SQ004";

/**
 * Returns a CREATE FUNCTION statement for the function `read`, which reads and empties the undo log. The first row of the result has the values of
 * the sequences. With `p_apart`, this row also names sessions with an open write transaction, and if there are any, the log is not read. Entries of
 * an open transaction are read after its commit, because the order of entries does not matter. `p_quiet`: the run has sent no request since the last
 * read. If rows of an external store changed nevertheless, their entries are returned but stay in the log, and the last row is {@link FOREIGN}.
 * `p_apart`: `null` to skip the comparison of the system catalogs, because the caller has just compared the catalogs.
 */
function readFunction(borrowed: boolean, comparesCatalog: boolean, image: string): string {
  const take = borrowed
    ? `with d as (delete from ${OURS}.log l returning l.rel, l.o, l.n, l.place),
         k as (insert into ${OURS}.kept(step, rel, o, n) select p_step, d.rel, d.o, d.n from d)
       select d.rel, d.o, d.n, d.place from d`
    : `delete from ${OURS}.log l returning l.rel, l.o, l.n, l.place`;
  return `create function ${OURS}.read(p_apart boolean, p_step bigint, p_quiet boolean) returns table(rel oid, o text, n text, place tid) language plpgsql as ${quoteText(`
#variable_conflict use_column
declare v_counters bigint[]; v_logged boolean := false; v_shape text;
begin
  ${borrowed ? REQUIRE_LEASE : ""}
  if p_apart then n := ${OURS}.busy(); end if;
  v_counters := ${OURS}.counters();
  ${NOTE_CACHED}
  o := v_counters;
  return next;
  if n is not null then return; end if;
  if exists (select from ${OURS}.log) then
    v_logged := true;
    ${borrowed ? judged(take, image) : `return query ${take};`}
  end if;
  ${borrowed ? RECORD : ""}
  ${comparesCatalog ? compareCatalog(borrowed) : ""}
  if exists (select from pg_largeobject_metadata) then return query select 0::oid, 'large object', null::text, null::tid; end if;
end`)}`;
}

/**
 * Returns SQL that adds a result row if the hash of the system catalogs has changed. If the schema itself is the same, the caller stores the new
 * hash.
 */
function compareCatalog(borrowed: boolean): string {
  return `if p_apart is not null then
    v_shape := ${OURS}.shape();
    if v_shape <> (select r.shape from ${OURS}.owner r) then
      ${borrowed ? `insert into ${OURS}.kept(step, rel, o) values (p_step, 0, '${SHAPE_CHANGED}');` : ""}
      return query select 0::oid, '${SHAPE_CHANGED}'::text, v_shape, null::tid;
    end if;
  end if;`;
}

const RECORD = `update ${OURS}.owner r set recorded = v_counters, recorded_ms = ${NOW_MS} where v_logged or r.recorded is distinct from v_counters;`;

/**
 * Returns SQL that reads the undo log, and undoes this read if other clients changed rows. The check includes rows that an earlier read recorded for
 * the same step. Changes that cancel each other out do not count.
 */
function judged(take: string, image: string): string {
  return `if not p_quiet then return query ${take};
    else begin
      return query ${take};
      if ${changesRows(`${OURS}.kept`, image, "l.step = p_step and l.rel <> 0")} then
        raise exception using errcode = '${FOREIGN_STATE}';
      end if;
    exception when sqlstate '${FOREIGN_STATE}' then
      rel := null; o := '${FOREIGN}'; n := null; place := null;
      return next;
      return;
    end; end if;`;
}

/**
 * Returns SQL for event triggers that log schema changes, which a restore of rows cannot undo. Temporary tables are ignored, and so are IF NOT EXISTS
 * statements that create nothing.
 */
function ddlFunctions(leased: boolean): string[] {
  const apart = `current_setting('${CONTROL_SWITCH}', true) is not null${leased ? ` or not ${LEASE_HOLDS}` : ""}`;
  return [
    `create function ${OURS}.ddl() returns event_trigger language plpgsql security definer set search_path = pg_catalog as ${quoteText(`
begin
  if ${apart} then return; end if;
  insert into ${OURS}.log(rel, o) select 0, TG_TAG || coalesce(' ' || d.object_identity, '') from pg_event_trigger_ddl_commands() d
   where d.schema_name is distinct from 'pg_temp' limit 1;
end`)}`,
    `create function ${OURS}.dropped() returns event_trigger language plpgsql security definer set search_path = pg_catalog as ${quoteText(`
begin
  if ${apart} then return; end if;
  insert into ${OURS}.log(rel, o) select 0, TG_TAG || coalesce(' ' || d.object_identity, '') from pg_event_trigger_dropped_objects() d
   where d.original and not d.is_temporary limit 1;
end`)}`,
    // ALTER TABLE ... TYPE with USING can change rows although the schema stays the same. Therefore also log such statements.
    `create function ${OURS}.rewritten() returns event_trigger language plpgsql security definer set search_path = pg_catalog as ${quoteText(`
begin
  if ${apart} then return; end if;
  insert into ${OURS}.log(rel, o) select 0, 'REWRITE by ' || TG_TAG || ' ' || c.oid::regclass from pg_class c
   where c.oid = pg_event_trigger_table_rewrite_oid() and c.relpersistence <> 't';
end`)}`,
    `create event trigger ${OURS}_rewritten on table_rewrite execute function ${OURS}.rewritten()`,
    `alter event trigger ${OURS}_rewritten enable always`,
    `create event trigger ${OURS}_ddl on ddl_command_end execute function ${OURS}.ddl()`,
    `create event trigger ${OURS}_dropped on sql_drop execute function ${OURS}.dropped()`,
    `alter event trigger ${OURS}_ddl enable always`,
    `alter event trigger ${OURS}_dropped enable always`,
  ];
}
