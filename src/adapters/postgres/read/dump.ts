import { OF_USER, rowsOf, USER_SCHEMA } from "../schema/catalog.ts";
import type { Queryable } from "../connect/mode.ts";
import { quoteName, quoteText } from "../connect/sql-text.ts";
import { OWN_PATH, USER_PATH } from "./user-path.ts";

/**
 * Returns the user's schemas as text, with one line for each object and row: columns, constraints, indexes, triggers, views, rows of tables and
 * materialized views, sequences, large objects. If clients may keep values of a sequence in memory, the text contains only the name of the sequence,
 * because such a sequence is not restored. The connection must return raw text, use `TEXT_SETTINGS`, and be in a transaction with one snapshot.
 * `schema`: the result of {@link readSchema} in this transaction, if it was read already.
 */
export async function dumpDatabase(client: Queryable, schema?: readonly string[]): Promise<string> {
  const contents = await rowsOf<[string, string, string, string | null]>(
    client,
    `select n.nspname, c.relname, c.relkind, (s.seqcache > 1 or abs(s.seqincrement) > 1)::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
       left join pg_sequence s on s.seqrelid = c.oid
      where c.relkind in ('r', 'm', 'S') and c.relpersistence <> 't' and ${USER_SCHEMA} and ${OF_USER}
      order by n.nspname collate "C", c.relname collate "C"`,
  );
  const parts: string[] = [];
  for (const [schema, name, kind, isCached] of contents) {
    const [sqlName, label] = [`${quoteName(schema)}.${quoteName(name)}`, quoteText(`${schema}.${name}`)];
    if (kind !== "S") {
      parts.push(`select ${label} || ' ' || x.r from (select (t.*)::text from only ${sqlName} t) x(r) order by x.r collate "C"`);
    } else if (isCached === "true") {
      parts.push(`select ${label} || ' cached'`);
    } else {
      parts.push(`select ${label} || ' ' || last_value || ' ' || is_called from ${sqlName}`);
    }
  }
  parts.push(`select 'large object ' || oid || ' ' || coalesce(md5(${LARGE_OBJECT}), '') from pg_largeobject_metadata order by oid`);
  const lines: string[] = [];
  // Leave out materialized views that are not populated, because a query on such a view fails.
  const populated = await rowsOf<[string]>(
    client,
    `select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'm' and not c.relispopulated`,
  );
  const empty = new Set(populated.map(([name]) => name));
  const readable = parts.map((part, i) => {
    const [schema, name] = contents[i] ?? [];
    return empty.has(`${schema}.${name}`) ? `select ${quoteText(`${schema}.${name} not populated`)}` : part;
  });
  lines.push(...(schema ?? (await readSchema(client))));
  await client.query({ text: USER_PATH });
  // Send all statements as one text, which takes one round trip. Each statement has its own result.
  const results = (await client.query({ text: [...readable, OWN_PATH].join(";\n"), rowMode: "array" })) as unknown as {
    rows: [string | null][];
  }[];
  for (const { rows } of results) for (const [line] of rows) lines.push(line ?? "");
  return `${lines.join("\n")}\n`;
}

/** An SQL expression for the content of a large object, or NULL if the object belongs to another role. */
export const LARGE_OBJECT = "case when pg_has_role(lomowner, 'usage') then lo_get(oid) end";

/**
 * Returns a line for each object of the user's schemas, such as columns, constraints, indexes, triggers, functions, types and privileges. The lines
 * contain names and no oids, so that they are equal in all copies of a database. Owners are left out if they are the role that is connected.
 */
export async function readSchema(client: Queryable): Promise<readonly string[]> {
  return (await rowsOf<[string | null]>(client, SCHEMA)).map(([line]) => line ?? "");
}

const NOT_OURS = `not exists (select from pg_proc p join pg_namespace o on o.oid = p.pronamespace where p.oid = t.tgfoid and o.nspname = 'seqqa_journal')`;

const NOT_OF_EXTENSION = (catalog: string, object: string): string =>
  `not exists (select from pg_depend e where e.classid = '${catalog}'::regclass and e.objid = ${object}.oid and e.deptype = 'e')`;
const FUNCTION_NAME = "n.nspname || '.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')'";

/** Returns an SQL expression for the privileges in an access control list, in a fixed order and with the names of roles. */
const privileges = (list: string): string => `(
  select string_agg(g.line, ', ' order by g.line collate "C") from (
    select concat_ws(' ', case a.grantee when 0 then 'public' else pg_get_userbyid(a.grantee) end, a.privilege_type, case when a.is_grantable then 'grantable' end,
                     'by', pg_get_userbyid(a.grantor)) as line
      from aclexplode(${list}) a) g)`;

/**
 * A query for the objects with owners and privileges. Columns have no owner. `standard`: the privileges of an object to which nobody has granted
 * anything.
 */
const OWNED = `select 'schema ' || n.nspname as name, n.nspowner as owner, n.nspacl as acl, acldefault('n', n.nspowner) as standard from pg_namespace n where ${USER_SCHEMA}
  union all select 'relation ' || n.nspname || '.' || c.relname, c.relowner, c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p', 'f', 'v', 'm', 'S') and c.relpersistence <> 't' and ${USER_SCHEMA}
  union all select 'column ' || n.nspname || '.' || c.relname || '.' || a.attname, null, a.attacl, acldefault('c', c.relowner)
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
   where a.attacl is not null and not a.attisdropped and c.relpersistence <> 't' and ${USER_SCHEMA}
  union all select 'function ' || ${FUNCTION_NAME}, p.proowner, p.proacl, acldefault('f', p.proowner)
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${USER_SCHEMA}
  union all select 'type ' || n.nspname || '.' || t.typname, t.typowner, t.typacl, acldefault('T', t.typowner)
    from pg_type t join pg_namespace n on n.oid = t.typnamespace left join pg_class c on c.oid = t.typrelid
   where (t.typtype in ('d', 'e', 'r') or c.relkind = 'c') and ${USER_SCHEMA}`;

const SCHEMA = `select x.line from (
  select 'schema ' || n.nspname as line from pg_namespace n where ${USER_SCHEMA}
  union all select 'relation ' || n.nspname || '.' || c.relname || ' ' || c.relkind::text || c.relpersistence::text
      || case when c.relrowsecurity then ' row security' else '' end || case when c.relforcerowsecurity then ' forced' else '' end
      || coalesce(' ' || pg_get_expr(c.relpartbound, c.oid), '') || coalesce(' ' || c.reloptions::text, '')
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p', 'f', 'v', 'm', 'c') and c.relpersistence <> 't' and ${USER_SCHEMA}
  union all select 'policy ' || n.nspname || '.' || c.relname || '.' || p.polname || ' ' || p.polcmd::text || p.polpermissive::text
      || array(select case r when 0 then 'public' else pg_get_userbyid(r) end from unnest(p.polroles) r order by 1)::text
      || coalesce(' using ' || pg_get_expr(p.polqual, p.polrelid), '') || coalesce(' check ' || pg_get_expr(p.polwithcheck, p.polrelid), '')
    from pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace where ${USER_SCHEMA}
  union all select 'function ' || pg_get_functiondef(p.oid)
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
   where p.prokind <> 'a' and ${USER_SCHEMA} and ${NOT_OF_EXTENSION("pg_proc", "p")}
  union all select 'aggregate ' || ${FUNCTION_NAME} || ' ' || concat_ws(' ', a.aggkind, a.aggnumdirectargs, a.aggtransfn::regproc, a.aggfinalfn::regproc,
      a.aggcombinefn::regproc, a.aggserialfn::regproc, a.aggdeserialfn::regproc, a.aggmtransfn::regproc, a.aggminvtransfn::regproc, a.aggmfinalfn::regproc,
      a.aggfinalextra, a.aggmfinalextra, a.aggfinalmodify, a.aggmfinalmodify, a.aggsortop::regoperator, format_type(a.aggtranstype, null),
      format_type(a.aggmtranstype, null), quote_nullable(a.agginitval), quote_nullable(a.aggminitval), p.proparallel)
    from pg_aggregate a join pg_proc p on p.oid = a.aggfnoid join pg_namespace n on n.oid = p.pronamespace
   where ${USER_SCHEMA} and ${NOT_OF_EXTENSION("pg_proc", "p")}
  union all select 'extension ' || e.extname || ' ' || e.extversion || ' ' || n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace
  union all select 'sequence ' || n.nspname || '.' || c.relname || ' '
      || concat_ws(' ', format_type(s.seqtypid, null), s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache, s.seqcycle)
    from pg_sequence s join pg_class c on c.oid = s.seqrelid join pg_namespace n on n.oid = c.relnamespace where c.relpersistence <> 't' and ${USER_SCHEMA}
  union all select 'range ' || n.nspname || '.' || t.typname || ' ' || concat_ws(' ', format_type(r.rngsubtype, null), format_type(r.rngmultitypid, null),
      r.rngcollation::regcollation, o.opcname, r.rngcanonical, r.rngsubdiff)
    from pg_range r join pg_type t on t.oid = r.rngtypid join pg_namespace n on n.oid = t.typnamespace join pg_opclass o on o.oid = r.rngsubopc
   where ${USER_SCHEMA} and ${NOT_OF_EXTENSION("pg_type", "t")}
  union all select 'domain ' || n.nspname || '.' || t.typname || ' ' || format_type(t.typbasetype, t.typtypmod)
      || case when t.typnotnull then ' not null' else '' end || coalesce(' default ' || t.typdefault, '')
    from pg_type t join pg_namespace n on n.oid = t.typnamespace where t.typtype = 'd' and ${USER_SCHEMA}
  union all select 'owner of ' || o.name || ' ' || pg_get_userbyid(o.owner) from (${OWNED}) o where pg_get_userbyid(o.owner) <> current_user
  union all select 'privileges on ' || o.name || ' ' || coalesce(${privileges("o.acl")}, 'none') from (${OWNED}) o
   where o.acl is not null and ${privileges("o.acl")} is distinct from ${privileges("o.standard")}
  union all select 'default privileges of ' || pg_get_userbyid(d.defaclrole) || ' ' || coalesce(n.nspname, '') || ' ' || d.defaclobjtype::text || ' '
      || coalesce(${privileges("d.defaclacl")}, 'none')
    from pg_default_acl d left join pg_namespace n on n.oid = d.defaclnamespace
  union all select 'domain ' || n.nspname || '.' || t.typname || '.' || k.conname || ' ' || pg_get_constraintdef(k.oid)
    from pg_constraint k join pg_type t on t.oid = k.contypid join pg_namespace n on n.oid = t.typnamespace where ${USER_SCHEMA}
  union all select 'enum ' || n.nspname || '.' || t.typname || ' ' || row_number() over (partition by t.oid order by e.enumsortorder) || ' ' || e.enumlabel
    from pg_enum e join pg_type t on t.oid = e.enumtypid join pg_namespace n on n.oid = t.typnamespace where ${USER_SCHEMA}
  union all select 'column ' || n.nspname || '.' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attnotnull then ' not null' else '' end || case when a.attidentity <> '' then ' identity ' || a.attidentity::text else '' end
      || case when a.attgenerated <> '' then ' generated' else '' end || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p', 'f', 'v', 'm', 'c') and c.relpersistence <> 't' and ${USER_SCHEMA}
  union all select 'constraint ' || n.nspname || '.' || c.relname || '.' || k.conname || ' ' || pg_get_constraintdef(k.oid)
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace where ${USER_SCHEMA}
  union all select 'index ' || pg_get_indexdef(i.indexrelid)
    from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace where ${USER_SCHEMA}
  union all select 'trigger ' || n.nspname || '.' || c.relname || ' ' || t.tgenabled::text || ' ' || pg_get_triggerdef(t.oid)
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace where not t.tgisinternal and ${NOT_OURS} and ${USER_SCHEMA}
  union all select 'rule ' || pg_get_ruledef(r.oid)
    from pg_rewrite r join pg_class c on c.oid = r.ev_class join pg_namespace n on n.oid = c.relnamespace where ${USER_SCHEMA}) x
 order by x.line collate "C"`;
