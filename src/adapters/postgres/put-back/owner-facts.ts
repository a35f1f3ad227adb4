import { OURS, rowsOf, USER_SCHEMA } from "../schema/catalog.ts";
import type { Queryable } from "../connect/mode.ts";
import { quoteName } from "../connect/sql-text.ts";

/** Properties of a table (possibly partitioned) that a restore without replica role uses. */
export interface OwnerFacts {
  readonly oid: string;
  /**
   * `quiet`: statements that disable the user's triggers and rules. `loud`: statements that enable the triggers and rules again. `undefined` if the
   * table has no triggers and rules.
   */
  readonly quiet: string | undefined;
  readonly loud: string | undefined;
  /** `true` if a foreign key (e.g. ON DELETE CASCADE) deletes or updates rows of this table when a parent row changes. */
  readonly isCascaded: boolean;
  /** The tables whose rows are deleted or updated through foreign keys when a row of this table changes. */
  readonly cascadesTo: readonly string[];
  /** The columns of this table to which a foreign key with RESTRICT refers, or `undefined` if there is no such foreign key. */
  readonly restricted: readonly string[] | undefined;
  /** The tables with foreign keys that refer to this table. */
  readonly children: readonly Child[];
  /** The columns that an UPDATE cannot set, because they are GENERATED ALWAYS AS IDENTITY. */
  readonly fixed: readonly string[];
}

export interface Child {
  readonly oid: string;
  readonly sqlName: string;
  /** An SQL condition that is true if the child row `seqqa_c` refers to the parent row `seqqa_p.r`. */
  readonly match: string;
}

interface Switch {
  readonly oid: string;
  readonly off: string;
  readonly on: string;
}

export async function readOwnerFacts(client: Queryable): Promise<ReadonlyMap<string, OwnerFacts>> {
  const switches = await readSwitches(client);
  const keys = await readForeignKeys(client);
  const tables = await rowsOf<[string, string, string]>(
    client,
    `select c.oid, array_to_json(array(select a.attname from pg_attribute a where a.attrelid = c.oid and a.attidentity = 'a' and not a.attisdropped))::text,
            array_to_json(array(select x.relid::oid::text from pg_partition_ancestors(c.oid) x))::text
       from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p') and c.relpersistence <> 't' and ${USER_SCHEMA}`,
  );
  return new Map(
    tables.map(([oid, fixed, ancestors]) => {
      const mine = switches.filter((one) => one.oid === oid);
      const parents = new Set([oid, ...(JSON.parse(ancestors) as string[])]);
      const children = keys.filter(({ parent }) => parents.has(parent));
      const facts: OwnerFacts = {
        oid,
        quiet: mine.length === 0 ? undefined : mine.map(({ off }) => off).join("; "),
        loud: mine.length === 0 ? undefined : mine.map(({ on }) => on).join("; "),
        isCascaded: keys.some(({ child, acts }) => child === oid && acts),
        cascadesTo: [...new Set(children.filter(({ acts }) => acts).map(({ child }) => child))],
        restricted: children.find(({ restricts }) => restricts)?.columns,
        children: children.flatMap(({ of }) => of ?? []),
        fixed: JSON.parse(fixed) as string[],
      };
      return [oid, facts] as const;
    }),
  );
}

/** Returns the triggers and rules that fire without replica role, each with the statements that disable and enable it. */
async function readSwitches(client: Queryable): Promise<Switch[]> {
  const rows = await rowsOf<[string, string, string, string, string]>(
    client,
    `select c.oid, format('%I.%I', n.nspname, c.relname), 'trigger', t.tgname, t.tgenabled
       from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
      where not t.tgisinternal and t.tgenabled in ('O', 'A') and c.relkind in ('r', 'p') and ${USER_SCHEMA}
        and t.tgfoid not in (select p.oid from pg_proc p join pg_namespace o on o.oid = p.pronamespace where o.nspname = '${OURS}')
     union all
     select c.oid, format('%I.%I', n.nspname, c.relname), 'rule', r.rulename, r.ev_enabled
       from pg_rewrite r join pg_class c on c.oid = r.ev_class join pg_namespace n on n.oid = c.relnamespace
      where r.ev_enabled in ('O', 'A') and r.ev_type <> '1' and c.relkind in ('r', 'p') and ${USER_SCHEMA} order by 1, 3, 4`,
  );
  return rows.map(([oid, table, kind, name, enabled]) => {
    const alter = `alter table only ${table}`;
    return {
      oid,
      off: `${alter} disable ${kind} ${quoteName(name)}`,
      on: `${alter} enable ${enabled === "A" ? "always " : ""}${kind} ${quoteName(name)}`,
    };
  });
}

interface Key {
  readonly child: string;
  readonly parent: string;
  readonly acts: boolean;
  readonly restricts: boolean;
  readonly columns: readonly string[];
  /** The child table. `undefined` for a partitioned table, because its partitions have foreign keys of their own. */
  readonly of: Child | undefined;
}

async function readForeignKeys(client: Queryable): Promise<Key[]> {
  const rows = await rowsOf<[string, string, string, string, string, string, string, string]>(
    client,
    `select k.conrelid, k.confrelid, (k.confdeltype in ('c', 'n', 'd') or k.confupdtype in ('c', 'n', 'd'))::text,
            (k.confdeltype = 'r' or k.confupdtype = 'r')::text, c.relkind, format('%I.%I', n.nspname, c.relname),
            (select string_agg(format('(seqqa_p.r).%I operator(%I.%s) seqqa_c.%I', pa.attname, x.nspname, o.oprname, ca.attname), ' and ' order by i)
               from generate_subscripts(k.conkey, 1) i
               join pg_attribute ca on ca.attrelid = k.conrelid and ca.attnum = k.conkey[i]
               join pg_attribute pa on pa.attrelid = k.confrelid and pa.attnum = k.confkey[i]
               join pg_operator o on o.oid = k.conpfeqop[i] join pg_namespace x on x.oid = o.oprnamespace),
            array_to_json(array(select a.attname from unnest(k.confkey) f(num) join pg_attribute a on a.attrelid = k.confrelid and a.attnum = f.num order by 1))::text
       from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace where k.contype = 'f'`,
  );
  return rows.map(([child, parent, acts, restricts, kind, sqlName, match, columns]) => ({
    child,
    parent,
    acts: acts === "true",
    restricts: restricts === "true",
    columns: JSON.parse(columns) as string[],
    of: kind === "r" ? { oid: child, sqlName, match } : undefined,
  }));
}
