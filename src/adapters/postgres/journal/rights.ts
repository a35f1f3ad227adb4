import { rowsOf, USER_SCHEMA, type Catalog } from "../schema/catalog.ts";
import { codeOf } from "../connect/failures.ts";
import type { Queryable } from "../connect/mode.ts";

export interface Rights {
  /**
   * `true` if the role is a superuser, so that event triggers can report schema changes. Otherwise seqqa finds schema changes by comparing the system
   * catalogs.
   */
  readonly superuser: boolean;
  /**
   * `true` if the session uses replica role, in which the user's triggers and foreign keys have no effect. Otherwise rows are restored with the
   * rights of the tables' owner.
   */
  readonly replica: boolean;
}

/**
 * Sets the session to replica role, if the role has the privilege for `session_replication_role`. Returns the rights of the role. A superuser has
 * this privilege. Other roles get the privilege with GRANT SET ON PARAMETER (from PostgreSQL 15) or from the hosting provider.
 */
export async function takeRights(client: Queryable): Promise<Rights> {
  const [row] = await rowsOf<[string]>(client, "select rolsuper::text from pg_roles where rolname = current_user");
  const superuser = row?.[0] === "true";
  try {
    await client.query({ text: "set session session_replication_role = 'replica'" });
    return { superuser, replica: true };
  } catch (error) {
    if (codeOf(error) !== "42501") throw error;
    return { superuser, replica: false };
  }
}

/**
 * Returns the reason why a role that is not a superuser cannot journal these tables, or `undefined` if there is no obstacle. `isCopied`: `true` if
 * the run will use a copy of the database, in which all objects belong to the role.
 */
export async function rightsObstacle(
  client: Queryable,
  { replica }: Rights,
  journalled: Catalog,
  isCopied = false,
): Promise<string | undefined> {
  const oids = `array[${journalled.tables.map(({ oid }) => oid).join(", ")}]::oid[]`;
  const counters = `array[${journalled.sequences.map(({ oid }) => oid).join(", ")}]::oid[]`;
  const [found] = await rowsOf<[string]>(
    client,
    `select why from (
       select 1, format('table "%s" belongs to the role "%s", and only a superuser can create triggers on a table of another owner', x.name, pg_get_userbyid(x.owner))
         from (select c.relname as name, c.relowner as owner from pg_class c where c.oid = any(${oids})
               union all select c.relname, c.relowner from unnest(${oids}) t(oid) cross join lateral pg_partition_ancestors(t.oid) a
                                join pg_class c on c.oid = a.relid) x where not pg_has_role(x.owner, 'usage')
       union all
       select 2, format('sequence "%s" belongs to another role', c.relname) from pg_class c
        where c.oid = any(${counters}) and not (has_sequence_privilege(c.oid, 'select') and has_sequence_privilege(c.oid, 'update'))
       union all
       select 3, format('the role "%s" is not allowed to use the schema "%s"', current_user, n.nspname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where (c.oid = any(${oids}) or c.oid = any(${counters})) and not has_schema_privilege(n.oid, 'usage')
       union all
       select 4, format('table "%s" has FORCE ROW LEVEL SECURITY, which hides rows from its owner', c.relname) from pg_class c
        where c.oid = any(${oids}) and c.relrowsecurity and c.relforcerowsecurity
          and not (select r.rolbypassrls from pg_roles r where r.rolname = current_user)
       union all
       select 5, format('the role "%s" is not allowed to create a schema in the database', current_user)
        where not has_database_privilege(current_database(), 'create')
     ) x(rank, why) where ${isCopied ? "false" : "true"} or rank = 4 order by rank, why limit 1`,
  );
  if (found !== undefined) return found[0];
  return replica ? undefined : ownerObstacle(client, oids);
}

/** Returns the reason why rows cannot be restored without replica role, or `undefined` if there is no obstacle. */
async function ownerObstacle(client: Queryable, oids: string): Promise<string | undefined> {
  const without = "during a restore, because the role in the URL is not allowed to set session_replication_role to replica";
  const [found] = await rowsOf<[string]>(
    client,
    `select why from (
       select 1, format('foreign key "%s" of table "%s" is NOT VALID, and is checked ${without}', k.conname, c.relname)
         from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
        where k.contype = 'f' and not k.convalidated and ${USER_SCHEMA}
       union all
       select 2, format('foreign key "%s" of table "%s" connects a restored table with one that is not restored, and is checked ${without}', k.conname, c.relname)
         from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class p on p.oid = k.confrelid
        where k.contype = 'f' and (c.relkind = 'r' and c.oid <> all(${oids}) and p.oid = any(${ofTables(oids)})
                                or p.relkind = 'r' and p.oid <> all(${oids}) and c.oid = any(${ofTables(oids)}))
       union all
       select 3, format('trigger "%s" of table "%s" cannot be disabled by its owner on this version of the server', t.tgname, c.relname)
         from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgisinternal and t.tgconstraint = 0 and c.oid = any(${oids})
     ) x(rank, why) order by rank, why limit 1`,
  );
  return found?.[0];
}

/** Returns an SQL array with the oids of these tables and of all partitioned tables to which they belong. */
function ofTables(oids: string): string {
  return `array(select t.oid from unnest(${oids}) t(oid) union select a.relid::oid from unnest(${oids}) t(oid) cross join lateral pg_partition_ancestors(t.oid) a)`;
}
