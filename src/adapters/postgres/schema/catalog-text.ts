import { OURS, rowsOf } from "./catalog.ts";
import type { Queryable } from "../connect/mode.ts";

/** The lowest oid of objects that users create. Objects with lower oids belong to the server itself. */
export const FIRST = 16384;
const OF_USERS = `n.nspname <> '${OURS}' and n.nspname !~ '^pg_(temp_|toast)'`;

/**
 * Queries for the parts of the schema, each with a name for messages. The queries leave out the columns of system catalogs that ANALYZE, VACUUM or a
 * table rewrite changes.
 */
const PARTS: readonly (readonly [what: string, query: string])[] = [
  [
    "tables, views, indexes or sequences",
    `select concat_ws('|', c.oid, relname, relnamespace, relowner, relam, relpersistence, relkind, relrowsecurity, relforcerowsecurity, relreplident, relispartition, relacl, reloptions, relpartbound)
       from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid >= ${FIRST} and ${OF_USERS}`,
  ],
  [
    "columns",
    `select concat_ws('|', attrelid, attnum, attname, atttypid, atttypmod, attnotnull, attidentity, attgenerated, attisdropped, attcollation, attacl)
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where c.oid >= ${FIRST} and a.attnum > 0 and c.relkind <> 't' and ${OF_USERS}`,
  ],
  [
    "defaults",
    `select d::text from pg_attrdef d join pg_class c on c.oid = d.adrelid join pg_namespace n on n.oid = c.relnamespace where ${OF_USERS}`,
  ],
  [
    "constraints",
    `select k::text from pg_constraint k join pg_namespace n on n.oid = k.connamespace where k.oid >= ${FIRST} and ${OF_USERS}`,
  ],
  [
    "indexes",
    `select concat_ws('|', indexrelid, indrelid, indkey, indclass, indisunique, indisprimary, indimmediate, indisvalid, indpred, indexprs)
       from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace where i.indexrelid >= ${FIRST} and c.relkind <> 't' and ${OF_USERS}`,
  ],
  [
    "triggers",
    `select t::text from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace where t.oid >= ${FIRST} and ${OF_USERS}`,
  ],
  [
    "rules and views",
    `select r::text from pg_rewrite r join pg_class c on c.oid = r.ev_class join pg_namespace n on n.oid = c.relnamespace where r.oid >= ${FIRST} and ${OF_USERS}`,
  ],
  ["functions", `select p::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace where p.oid >= ${FIRST} and ${OF_USERS}`],
  ["types", `select t::text from pg_type t join pg_namespace n on n.oid = t.typnamespace where t.oid >= ${FIRST} and ${OF_USERS}`],
  ["enums", `select e::text from pg_enum e`],
  [
    "sequences",
    `select s::text from pg_sequence s join pg_class c on c.oid = s.seqrelid join pg_namespace n on n.oid = c.relnamespace where ${OF_USERS}`,
  ],
  [
    "policies",
    `select p::text from pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace where ${OF_USERS}`,
  ],
  [
    "inheritance",
    `select i::text from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_namespace n on n.oid = c.relnamespace where ${OF_USERS}`,
  ],
  ["schemas", `select n::text from pg_namespace n where n.oid >= ${FIRST} and ${OF_USERS}`],
  ["extensions", `select concat_ws('|', e.oid, extname, extversion) from pg_extension e`],
];

/**
 * Additional queries for databases in which seqqa has no event triggers. Their results also change if a statement rewrites the rows of a table or
 * refreshes a materialized view.
 */
const TRACES: typeof PARTS = [
  [
    "columns, or rows by rewriting them",
    `select concat_ws('|', attrelid, attnum, a.xmin)
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where c.oid >= ${FIRST} and a.attnum > 0 and c.relkind in ('r', 'p') and ${OF_USERS}`,
  ],
  [
    "the rows of a materialized view",
    // REFRESH ... CONCURRENTLY keeps the file of the view, but writes the row of the view in pg_class again. Therefore also read `xmin`.
    `select concat_ws('|', c.oid, c.relfilenode, c.xmin) from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'm' and ${OF_USERS}`,
  ],
];

export type CatalogText = ReadonlyMap<string, string>;

/** Returns a hash for each part of the schema. `traced`: `true` to add the hashes of `TRACES`. */
export async function catalogText(client: Queryable, traced = false): Promise<CatalogText> {
  const text = [...PARTS, ...(traced ? TRACES : [])]
    .map(([what, query]) => `select '${what}', md5(coalesce(string_agg(x.t, E'\\n' order by x.t collate "C"), '')) from (${query}) x(t)`)
    .join(" union all ");
  return new Map(await rowsOf<[string, string]>(client, text));
}

export function catalogDifference(before: CatalogText, now: CatalogText): string | undefined {
  const parts = [...before.keys()].filter((part) => before.get(part) !== now.get(part));
  return parts.length === 0 ? undefined : parts.join(", ");
}

/**
 * Matches log entries for statements that change rows without firing row triggers. Such statements count as changes even if the schema stays the
 * same.
 */
const ROWS_WITHOUT_TRIGGERS = /^(?:REFRESH|REWRITE|large object)/;

/**
 * Returns a description of the statement that changed the schema, or that changed rows without firing triggers. Returns `undefined` if there is no
 * such statement.
 */
export function alteration(statements: readonly string[], before: CatalogText, now: CatalogText): string | undefined {
  const difference = catalogDifference(before, now);
  const rows = statements.find((what) => ROWS_WITHOUT_TRIGGERS.test(what));
  if (rows !== undefined) return `${rows}, which changes rows without triggers`;
  return difference === undefined ? undefined : `${statements[0]} (${difference})`;
}
