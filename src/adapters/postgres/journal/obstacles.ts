import { rowsOf, USER_SCHEMA, type Catalog } from "../schema/catalog.ts";
import { codeOf } from "../connect/failures.ts";
import type { Queryable } from "../connect/mode.ts";
import { FIRST } from "../schema/catalog-text.ts";
import { rightsObstacle, type Rights } from "./rights.ts";
import { quoteName } from "../connect/sql-text.ts";
import { userPath } from "../read/user-path.ts";

/** A message text about the cost of the mode `clone`. The times were measured with a small database, on servers with and without fsync. */
export const CLONE_COST = "each step copies the database, which takes 0.1 to 0.5 s, or longer if the database is large";

/**
 * Returns the reason why a role with these rights cannot journal this database, or `undefined` if there is no obstacle. `journalled`: the tables and
 * sequences that seqqa restores. `isCopied`: `true` if the run will use a copy of the database, in which all objects belong to the role.
 */
export async function journalObstacle(
  client: Queryable,
  rights: Rights,
  journalled: Catalog,
  isCopied = false,
): Promise<string | undefined> {
  const [[encoding, large] = []] = await rowsOf<[string, string]>(
    client,
    `select getdatabaseencoding(), exists (select from pg_largeobject_metadata)::text`,
  );
  const missing = rights.superuser ? undefined : await rightsObstacle(client, rights, journalled, isCopied);
  if (missing !== undefined) return missing;
  if (encoding === "SQL_ASCII") return "the database has the encoding SQL_ASCII, which allows invalid text";
  if (large === "true") return "the database has large objects, whose changes fire no triggers";
  // With replica role, find triggers that fire nevertheless: such triggers prevent a restore. Without replica role, seqqa disables triggers during a
  // restore.
  const fires = rights.replica ? await firesAlways(client) : undefined;
  if (fires !== undefined) return fires;
  const virtual = await virtualColumn(client, journalled);
  if (virtual !== undefined) return virtual;
  const published = await isPublished(client, journalled);
  if (published !== undefined) return published;
  // Use the user's search_path, because the user's constraints may call functions of the user.
  await client.query({ text: userPath("session") });
  try {
    return (await breaksChecks(client)) ?? (await breaksDomains(client, journalled.tables));
  } finally {
    await client.query({ text: "set search_path to pg_catalog" });
  }
}

/**
 * The number of locks for each table that the restore at the end of an in-place run holds: on the table, and on seqqa's triggers and functions, which
 * are dropped. Counted on PostgreSQL 15.
 */
const LOCKS_A_TABLE = 5;
/** The number of locks that this restore holds in addition to the locks for tables. */
const MORE_LOCKS = 50;

/**
 * Returns the reason why seqqa could not restore an external database, or `undefined`. A restore locks all tables in one transaction, so the reason
 * is that the server guarantees too few locks. The parameters are the same as for {@link journalObstacle}.
 */
export async function locksObstacle(client: Queryable, { replica }: Rights, { tables }: Catalog): Promise<string | undefined> {
  const [row = []] = await rowsOf<[string, string]>(
    client,
    `select current_setting('max_locks_per_transaction'),
            current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int`,
  );
  const [each = 0, sessions = 0] = row.map(Number);
  const needed = (replica ? LOCKS_A_TABLE : LOCKS_A_TABLE + 1) * tables.length + MORE_LOCKS;
  if (needed <= each * sessions) return undefined;
  const enough = Math.ceil(needed / sessions);
  return `to restore ${tables.length} tables, seqqa needs ${needed} locks, but the server guarantees only ${each * sessions}: set max_locks_per_transaction to ${enough} or more, and restart the server`;
}

/** Finds a trigger or rule that fires even in replica role. Such a trigger or rule would also fire when seqqa restores rows. */
async function firesAlways(client: Queryable): Promise<string | undefined> {
  const [found] = await rowsOf<[string, string, string]>(
    client,
    `select * from (
       select 'trigger', t.tgname, c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
        where t.tgenabled in ('A', 'R') and not t.tgisinternal and c.relkind in ('r', 'p') and ${USER_SCHEMA}
          and t.tgfoid not in (select p.oid from pg_proc p join pg_namespace o on o.oid = p.pronamespace where o.nspname = 'seqqa_journal')
       union all
       select 'rule', r.rulename, c.relname from pg_rewrite r join pg_class c on c.oid = r.ev_class join pg_namespace n on n.oid = c.relnamespace
        where r.ev_enabled in ('A', 'R') and r.ev_type <> '1' and c.relkind in ('r', 'p') and ${USER_SCHEMA}) x limit 1`,
  );
  return (
    found && `${found[0]} "${found[1]}" of table "${found[2]}" is enabled ALWAYS or REPLICA, so it would fire when seqqa restores rows`
  );
}

/** Finds a virtual generated column (PostgreSQL 18). Triggers see NULL in such a column, so a logged row would differ from the row in the table. */
async function virtualColumn(client: Queryable, { tables }: Catalog): Promise<string | undefined> {
  const [found] = await rowsOf<[string, string]>(
    client,
    `select a.attname, c.relname from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.oid = any(array[${tables.map(({ oid }) => oid).join(", ")}]::oid[]) and a.attgenerated = 'v' and not a.attisdropped limit 1`,
  );
  return found && `column "${found[0]}" of table "${found[1]}" is a virtual generated column, whose values triggers cannot read`;
}

/** Finds a table from which PostgreSQL does not delete rows, because the table is published and has no replica identity, such as a primary key. */
async function isPublished(client: Queryable, { tables }: Catalog): Promise<string | undefined> {
  const [found] = await rowsOf<[string, string]>(
    client,
    `select c.relname, p.pubname from pg_class c
       join pg_publication_tables t on exists (
         select from pg_class r join pg_namespace n on n.oid = r.relnamespace where (n.nspname, r.relname) = (t.schemaname, t.tablename)
            and (r.oid = c.oid or r.oid in (select a.relid from pg_partition_ancestors(c.oid) a)))
       join pg_publication p on p.pubname = t.pubname and (p.pubupdate or p.pubdelete)
      where c.oid = any(array[${tables.map(({ oid }) => oid).join(", ")}]::oid[]) and c.relreplident <> 'f'
        and not exists (select from pg_index i where i.indrelid = c.oid and i.indisvalid and i.indimmediate
                           and case c.relreplident when 'd' then i.indisprimary when 'i' then i.indisreplident end) limit 1`,
  );
  return (
    found &&
    `table "${found[0]}" is in the publication "${found[1]}" without a primary key or replica identity, so PostgreSQL refuses to delete its rows`
  );
}

/**
 * An SQL condition that is true for a check constraint `k` whose result for a row can change: the constraint calls a function that is not immutable
 * (`current_date`), or a function of the user, which may read tables although it is declared as immutable.
 */
const CAN_CHANGE = `(k.conbin::text ~ '[{](?:SQLVALUEFUNCTION|COERCEVIAIO)'
  or exists (select from pg_catalog.regexp_matches(k.conbin::text, ':(?:op)?funcid (\\d+)', 'g') m
               join pg_proc p on p.oid = m[1]::oid join pg_language l on l.oid = p.prolang
              where p.provolatile <> 'i' or (p.oid >= ${FIRST} and l.lanname not in ('internal', 'c'))))`;

/**
 * Finds a row that violates a check constraint, which is possible if the constraint is NOT VALID or its result can change. A restore could not insert
 * such a row again.
 */
async function breaksChecks(client: Queryable): Promise<string | undefined> {
  const checks = await rowsOf<[string, string, string, string, string]>(
    client,
    `select n.nspname, c.relname, k.conname, pg_get_expr(k.conbin, k.conrelid), k.convalidated::text from pg_constraint k
       join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      where k.contype = 'c' and (not k.convalidated or ${CAN_CHANGE}) and c.relkind = 'r' and ${USER_SCHEMA}`,
  );
  for (const [schema, table, name, expression, isValid] of checks) {
    const query = `select 1 from only ${quoteName(schema)}.${quoteName(table)} where not (${expression}) limit 1`;
    if (!(await isRefused(async () => (await rowsOf(client, query)).length > 0))) continue;
    const breaks = isValid === "true" ? `no longer fulfils the check "${name}"` : `breaks the NOT VALID check "${name}"`;
    return `a row of table "${table}" ${breaks}, so seqqa could not restore the row`;
  }
  return undefined;
}

async function breaksDomains(client: Queryable, tables: Catalog["tables"]): Promise<string | undefined> {
  const lax = await rowsOf<[string, string, string]>(
    client,
    `select a.attrelid, t.typname, bool_and(k.convalidated)::text from pg_constraint k join pg_type t on t.oid = k.contypid join pg_attribute a on a.atttypid = t.oid
      where (not k.convalidated or ${CAN_CHANGE}) and a.attnum > 0 and not a.attisdropped group by 1, 2`,
  );
  for (const [oid, domain, isValid] of lax) {
    const table = tables.find((one) => one.oid === oid);
    if (table === undefined) continue;
    const query = `select count((t.*)::text::${table.sqlName}) from only ${table.sqlName} t`;
    if (!(await isRefused(async () => (await client.query({ text: query })) === undefined))) continue;
    const breaks = isValid === "true" ? "no longer fulfils a check" : "breaks a NOT VALID check";
    return `a row of table "${table.fullName}" ${breaks} of the domain "${domain}", so seqqa could not restore the row`;
  }
  return undefined;
}

/** Returns the result of `query`, or `true` if a check or a function in the check refuses a row with an error. */
async function isRefused(query: () => Promise<boolean>): Promise<boolean> {
  try {
    return await query();
  } catch (error) {
    if (!/^(?:22|23|42|P0)/.test(codeOf(error))) throw error;
    return true;
  }
}
