import type { ObservedColumn } from "../../../model/stores/store-adapter.ts";
import type { ForeignReference } from "../../../stores/external/external-store.ts";
import type { Queryable } from "../connect/mode.ts";
import { quoteName, shownName } from "../connect/sql-text.ts";
import { kindOf, type ValueKind } from "../read/values.ts";

/** The name of the schema in which seqqa creates its objects in a database. */
export const OURS = "seqqa_journal";

/** An SQL condition that is true if the schema `n.nspname` belongs to the user and not to PostgreSQL or seqqa. */
export const USER_SCHEMA: string = `n.nspname not in ('information_schema', '${OURS}') and n.nspname !~ '^pg_'`;

/**
 * An SQL condition that is false for a table or sequence `c` that belongs to an extension and that the role neither owns nor can write, such as
 * `spatial_ref_sys` of PostGIS. Only the extension changes such a table, so seqqa neither observes nor restores it.
 */
export const OF_USER: string = `(pg_has_role(c.relowner, 'usage')
  or not exists (select from pg_depend e where e.classid = 'pg_class'::regclass and e.objid = c.oid and e.deptype = 'e')
  or has_schema_privilege(c.relnamespace, 'usage') and case c.relkind when 'S' then has_sequence_privilege(c.oid, 'usage, update')
                                                       else has_table_privilege(c.oid, 'insert, update, delete, truncate') end)`;

export interface Column {
  readonly name: string;
  readonly kind: ValueKind;
  /** `true` for a generated column. seqqa neither writes nor observes such columns. */
  readonly generated: boolean;
}

/** A plain table or a partition; in {@link Catalog.views} a materialized view. Tables that inherit from the table are separate tables. */
export interface Table {
  readonly oid: string;
  /** The schema of the table. For a partition, the schema of the partitioned table. */
  readonly schema: string;
  /** The quoted name with the schema, for use in SQL. */
  readonly sqlName: string;
  /** The name as `schema.table`, without quotes. The name is the same in all lanes. */
  readonly fullName: string;
  /** The name under which states show the rows. For a partition, the name of the partitioned table. */
  readonly name: string;
  /** The columns, in the order of the values in the text of a row. */
  readonly columns: readonly Column[];
  /**
   * The columns of the unique index that identifies a row, with their equality operators. Without such an index, the list is empty, and a row is
   * identified by all its values.
   */
  readonly key: readonly { readonly name: string; readonly operator: string }[];
  readonly shown: readonly ObservedColumn[];
  readonly shownAt: readonly number[];
  /**
   * The columns that are neither compared nor restored. Only tables of external stores have such columns. Key columns are never ignored, and a table
   * without a key has no ignored columns.
   */
  readonly ignored: readonly string[];
  /**
   * The columns that were added after the run had begun. Row images of the run do not contain these columns, and restores ignore them. Default: none.
   */
  readonly added?: readonly string[] | undefined;
  /** The types of all columns, including the element types of arrays, ranges and composite types. */
  readonly types: readonly string[];
}

export interface Sequence {
  readonly oid: string;
  readonly schema: string;
  readonly sqlName: string;
  readonly name: string;
  readonly increment: bigint;
  /**
   * `true` if clients may keep values of this sequence in memory: database sessions (CACHE), or an application that reserves as many values as the
   * increment of the sequence (Hibernate). Such a sequence is not restored, because a restored sequence would generate the values in memory a second
   * time.
   */
  readonly cached: boolean;
  /** The name of the table that owns the sequence through one of its columns, or `undefined`. */
  readonly ownedBy: string | undefined;
  /** The names of the tables that have a column that owns the sequence, or a column whose default uses the sequence. */
  readonly usedBy: readonly string[];
}

/** A foreign table: its rows are on another server or in a file, so seqqa cannot restore them. */
export interface ForeignTable {
  /** The schema of the table. For a partition, the schema of the partitioned table. */
  readonly schema: string;
  /** The name under which states show the table. For a partition, the name of the partitioned table. */
  readonly name: string;
  readonly fullName: string;
  readonly server: string;
}

export interface Catalog {
  readonly tables: readonly Table[];
  /** The materialized views with content, without those that were never refreshed. Their changes fire no triggers. */
  readonly views: readonly Table[];
  readonly foreign: readonly ForeignTable[];
  readonly sequences: readonly Sequence[];
  /** The foreign keys between tables of the user. */
  readonly references: readonly ForeignReference[];
}

export async function rowsOf<Row extends readonly (string | null)[]>(client: Queryable, text: string): Promise<Row[]> {
  return (await client.query({ text, rowMode: "array" })).rows as Row[];
}

/**
 * Returns the user's tables and sequences. The order of the tables and sequences is the same in every copy of a database. `client` must return values
 * as raw text.
 */
export async function readCatalog(client: Queryable): Promise<Catalog> {
  const [columns, keys, types, relations] = [
    await readColumns(client),
    await readKeys(client),
    await readTypes(client),
    await readTables(client),
  ];
  const { shown, references } = await readShown(client, columns);
  const table = ([, oid, schema, name, root, rootSchema, rootName]: TableRow): Table => {
    const own = columns.get(oid) ?? [];
    const visible = shown.get(root) ?? [];
    return {
      oid,
      schema: rootSchema,
      sqlName: `${quoteName(schema)}.${quoteName(name)}`,
      fullName: `${schema}.${name}`,
      name: shownName(rootSchema, rootName),
      columns: own,
      key: keys.get(oid) ?? [],
      shown: visible,
      shownAt: visible.map((column) => own.findIndex((one) => one.name === column.name)),
      ignored: [],
      types: types.get(oid) ?? [],
    };
  };
  const ofKind = (kind: string): Table[] => relations.filter(([one]) => one === kind).map(table);
  return {
    tables: ofKind("r"),
    views: ofKind("m"),
    foreign: await readForeign(client),
    sequences: await readSequences(client),
    references,
  };
}

type TableRow = readonly [kind: string, oid: string, schema: string, name: string, root: string, rootSchema: string, rootName: string];

function readTables(client: Queryable): Promise<TableRow[]> {
  return rowsOf<TableRow>(
    client,
    `select c.relkind, c.oid, n.nspname, c.relname, r.oid, rn.nspname, r.relname
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_class r on r.oid = case when c.relispartition then coalesce(pg_partition_root(c.oid), c.oid) else c.oid end
       join pg_namespace rn on rn.oid = r.relnamespace
      where c.relkind in ('r', 'm') and c.relispopulated and c.relpersistence in ('p', 'u') and ${USER_SCHEMA} and ${OF_USER}
      order by n.nspname collate "C", c.relname collate "C"`,
  );
}

async function readForeign(client: Queryable): Promise<ForeignTable[]> {
  const rows = await rowsOf<readonly [string, string, string, string, string]>(
    client,
    `select rn.nspname, r.relname, n.nspname, c.relname, s.srvname
       from pg_foreign_table f join pg_foreign_server s on s.oid = f.ftserver
       join pg_class c on c.oid = f.ftrelid join pg_namespace n on n.oid = c.relnamespace
       join pg_class r on r.oid = case when c.relispartition then coalesce(pg_partition_root(c.oid), c.oid) else c.oid end
       join pg_namespace rn on rn.oid = r.relnamespace
      where ${USER_SCHEMA}
      order by n.nspname collate "C", c.relname collate "C"`,
  );
  return rows.map(([schema, root, own, name, server]) => ({
    schema,
    name: shownName(schema, root),
    fullName: shownName(own, name),
    server,
  }));
}

/**
 * Returns the columns of each table. Partitioned tables are included, because states show the rows of a partition with the columns of the partitioned
 * table.
 */
async function readColumns(client: Queryable): Promise<Map<string, Column[]>> {
  const rows = await rowsOf<readonly [string, string, string, string, string]>(
    client,
    `with recursive base(oid, at) as (
       select oid, oid from pg_type where typtype = 'd'
       union all select b.oid, t.typbasetype from base b join pg_type t on t.oid = b.at where t.typtype = 'd')
     select a.attrelid, a.attname, a.attgenerated, tn.nspname, t.typname
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       join pg_type t on t.oid = coalesce((select b.at from base b join pg_type bt on bt.oid = b.at where b.oid = a.atttypid and bt.typtype <> 'd' limit 1), a.atttypid)
       join pg_namespace tn on tn.oid = t.typnamespace
      where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p', 'm') and ${USER_SCHEMA}
      order by a.attrelid, a.attnum`,
  );
  const columns = new Map<string, Column[]>();
  for (const [table, name, generated, typeSchema, type] of rows) {
    push(columns, table, { name, kind: kindOf(typeSchema, type), generated: generated !== "" });
  }
  return columns;
}

/** Returns the key of each table: a unique index that is not deferrable and contains no NULLs, preferably the primary key. */
async function readKeys(client: Queryable): Promise<Map<string, { name: string; operator: string }[]>> {
  const rows = await rowsOf<readonly [string, string, string, string]>(
    client,
    `select i.indrelid, a.attname, on_.nspname, o.oprname
       from (select distinct on (i.indrelid) i.* from pg_index i
              where i.indisunique and i.indimmediate and i.indisvalid and i.indpred is null and i.indexprs is null
                and not exists (select from generate_series(0, i.indnkeyatts - 1) k
                                  join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[k] where not a.attnotnull)
              order by i.indrelid, i.indisprimary desc, i.indnkeyatts, i.indexrelid) i
       join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam and m.amname = 'btree'
       join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
       cross join generate_series(0, i.indnkeyatts - 1) k
       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[k]
       join pg_opclass p on p.oid = i.indclass[k]
       join pg_amop am on am.amopfamily = p.opcfamily and am.amopstrategy = 3 and am.amoplefttype = p.opcintype and am.amoprighttype = p.opcintype
       join pg_operator o on o.oid = am.amopopr join pg_namespace on_ on on_.oid = o.oprnamespace
      where c.relkind = 'r' and ${USER_SCHEMA}
      order by i.indrelid, k`,
  );
  const keys = new Map<string, { name: string; operator: string }[]>();
  for (const [table, name, schema, operator] of rows) push(keys, table, { name, operator: `operator(${quoteName(schema)}.${operator})` });
  return keys;
}

/**
 * Returns, for each table, the names of the types of its columns and of the types inside them (elements of arrays, fields of composite types). Types
 * of PostgreSQL itself have their plain name, and all enums have the name `enum`. Other types have the name `schema.type`.
 */
async function readTypes(client: Queryable): Promise<Map<string, string[]>> {
  const rows = await rowsOf<readonly [string, string]>(
    client,
    `with recursive parts(rel, typ) as (
       select a.attrelid, a.atttypid from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
        where a.attnum > 0 and not a.attisdropped and c.relkind = 'r' and ${USER_SCHEMA}
       union
       select p.rel, x.typ from parts p join pg_type t on t.oid = p.typ cross join lateral (
         select t.typelem as typ where t.typelem <> 0
         union select t.typbasetype where t.typtype = 'd'
         union select r.rngsubtype from pg_range r where r.rngtypid = t.oid
         union select r.rngtypid from pg_range r where t.typtype = 'm' and (to_jsonb(r) ->> 'rngmultitypid')::oid = t.oid
         union select a.atttypid from pg_attribute a where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
       ) x)
     select distinct p.rel, case when t.typtype = 'e' then 'enum' when n.nspname = 'pg_catalog' then t.typname else n.nspname || '.' || t.typname end
       from parts p join pg_type t on t.oid = p.typ join pg_namespace n on n.oid = t.typnamespace
      where t.typtype not in ('d', 'r', 'm', 'c') and not (t.typelem <> 0 and t.typlen = -1) order by 1, 2`,
  );
  const types = new Map<string, string[]>();
  for (const [table, type] of rows) push(types, table, type);
  return types;
}

async function readShown(
  client: Queryable,
  columns: ReadonlyMap<string, readonly Column[]>,
): Promise<{ shown: Map<string, ObservedColumn[]>; references: ForeignReference[] }> {
  const rows = await rowsOf<readonly [string, string, string | null, string | null, string | null, string, string, string]>(
    client,
    `select k.conrelid, a.attname, fn.nspname, f.relname, fa.attname, k.confdeltype, n.nspname, c.relname
       from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
       cross join generate_subscripts(k.conkey, 1) i
       join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[i]
       left join pg_class f on f.oid = k.confrelid and k.contype = 'f' left join pg_namespace fn on fn.oid = f.relnamespace
       left join pg_attribute fa on fa.attrelid = f.oid and fa.attnum = k.confkey[i]
      where k.contype in ('p', 'f') and ${USER_SCHEMA} and (k.contype = 'p' or k.conparentid = 0) order by k.conrelid, k.contype, k.conname, i`,
  );
  const keys = new Set<string>();
  const firsts = new Map<string, { table: string; column: string }>();
  const references: ForeignReference[] = [];
  for (const [table, column, toSchema, toTable, toColumn, onDelete, schema, name] of rows) {
    const at = `${table} ${column}`;
    if (toSchema === null || toTable === null || toColumn === null) {
      keys.add(at);
      continue;
    }
    const parent = shownName(toSchema, toTable);
    if (!firsts.has(at)) firsts.set(at, { table: parent, column: toColumn });
    // The actions are: a, no action; r, restrict; c, cascade; n, set null; d, set default.
    references.push({ child: shownName(schema, name), column, parent, deletes: !"ar".includes(onDelete) });
  }
  const shown = new Map<string, ObservedColumn[]>();
  for (const [table, all] of columns) {
    const visible = all.filter((column) => !column.generated);
    shown.set(
      table,
      visible.map(({ name }) => {
        const to = firsts.get(`${table} ${name}`);
        return { name, ...(keys.has(`${table} ${name}`) ? { key: true } : {}), ...(to === undefined ? {} : { references: to }) };
      }),
    );
  }
  return { shown, references };
}

async function readSequences(client: Queryable): Promise<Sequence[]> {
  const rows = await rowsOf<readonly [string, string, string, string, string, string | null, string | null, string]>(
    client,
    `select c.oid, n.nspname, c.relname, s.seqincrement, (s.seqcache > 1 or abs(s.seqincrement) > 1)::text, tn.nspname, t.relname,
            array_to_json(array(
              select array[un.nspname, u.relname] from pg_class u join pg_namespace un on un.oid = u.relnamespace where u.oid in (
                select coalesce(pg_partition_root(x.rel), x.rel) from (${SEQUENCE_USERS("c.oid")}) x)))::text
       from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_sequence s on s.seqrelid = c.oid
       left join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0 and d.deptype in ('a', 'i')
       left join pg_class t on t.oid = d.refobjid left join pg_namespace tn on tn.oid = t.relnamespace
      where c.relkind = 'S' and c.relpersistence <> 't' and ${USER_SCHEMA} and ${OF_USER}
      order by n.nspname collate "C", c.relname collate "C"`,
  );
  return rows.map(([oid, schema, name, increment, cached, tableSchema, table, users]) => ({
    oid,
    schema,
    sqlName: `${quoteName(schema)}.${quoteName(name)}`,
    name: shownName(schema, name),
    increment: BigInt(increment),
    cached: cached === "true",
    ownedBy: tableSchema === null || table === null ? undefined : shownName(tableSchema, table),
    usedBy: (JSON.parse(users) as [string, string][]).map((user) => shownName(...user)),
  }));
}

/**
 * Returns a query for all known users of a sequence, one row each. `rel`, `num`: the oid of the table and the number of the column that owns the
 * sequence or whose default uses the sequence; NULL for users that are not columns. `plain`: `true` if the column stores the values of the sequence
 * unchanged.
 */
export const SEQUENCE_USERS = (sequence: string): string =>
  `select d.refobjid as rel, d.refobjsubid as num, true as plain from pg_depend d
    where d.classid = 'pg_class'::regclass and d.objid = ${sequence} and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0 and d.deptype in ('a', 'i')
   union all
   select f.adrelid, f.adnum, pg_get_expr(f.adbin, f.adrelid) ~ '^nextval[(]''[^()]*''::regclass[)]$'
     from pg_depend d left join pg_attrdef f on d.classid = 'pg_attrdef'::regclass and f.oid = d.objid
    where d.refclassid = 'pg_class'::regclass and d.refobjid = ${sequence} and d.deptype in ('n', 'a')`;

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
