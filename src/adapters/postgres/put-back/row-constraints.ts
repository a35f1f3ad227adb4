import type { Control } from "../connect/control.ts";

/** A foreign key. PostgreSQL does not check foreign keys in replica role, so seqqa checks them itself. */
export interface ForeignKey {
  /** `child`, `parent`: the oids of the tables. */
  readonly child: string;
  readonly parent: string;
  /** `childName`, `parentName`: the names of the tables for use in a query. ONLY excludes tables that inherit from a plain table. */
  readonly childName: string;
  readonly parentName: string;
  readonly oid: string;
  /** Statements that drop the constraint and create it again. */
  readonly drop: string;
  readonly add: string;
  readonly columns: readonly {
    readonly from: string;
    readonly to: string;
    readonly parentIsChild: string;
    readonly parentIsParent: string;
    readonly childIsChild: string;
  }[];
}

/** A unique or exclusion constraint that is deferrable. PostgreSQL does not check such constraints in replica role. */
export interface LateUnique {
  readonly table: string;
  readonly tableName: string;
  readonly columns: readonly { readonly name: string; readonly operator: string }[];
}

/** Returns, for each table, its own oid and the oids of the partitioned tables to which it belongs. */
export async function ancestorsOf(control: Control, oids: readonly string[]): Promise<Map<string, Set<string>>> {
  const rows = await control.rows(
    `select t.oid, a.relid::oid from unnest($1::oid[]) t(oid) left join lateral pg_partition_ancestors(t.oid::regclass) a on true`,
    [oids],
  );
  const ancestors = new Map(oids.map((oid) => [oid, new Set([oid])]));
  for (const [oid, ancestor] of rows) if (typeof ancestor === "string") ancestors.get(oid!)!.add(ancestor);
  return ancestors;
}

const NAME = (relation: string): string =>
  `case when ${relation}.relkind = 'p' then '' else 'only ' end || ${relation}.oid::regclass::text`;

const OPERATOR = (oid: string): string =>
  `(select format('operator(%I.%s)', n.nspname, o.oprname) from pg_operator o join pg_namespace n on n.oid = o.oprnamespace where o.oid = ${oid})`;

export async function foreignKeysOf(control: Control, oids: readonly string[]): Promise<ForeignKey[]> {
  const rows = await control.rows(
    `select k.oid, k.conrelid, k.confrelid, ${NAME("c")}, ${NAME("p")}, ca.attname, pa.attname,
            ${OPERATOR("k.conpfeqop[i]")}, ${OPERATOR("k.conppeqop[i]")}, ${OPERATOR("k.conffeqop[i]")},
            format('alter table %s drop constraint %I', c.oid::regclass, k.conname),
            format('alter table %s add constraint %I %s', c.oid::regclass, k.conname, pg_get_constraintdef(k.oid))
       from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class p on p.oid = k.confrelid
       cross join generate_subscripts(k.conkey, 1) i
       join pg_attribute ca on ca.attrelid = k.conrelid and ca.attnum = k.conkey[i]
       join pg_attribute pa on pa.attrelid = k.confrelid and pa.attnum = k.confkey[i]
      where k.contype = 'f' and k.conparentid = 0 and (k.conrelid = any($1::oid[]) or k.confrelid = any($1::oid[])) order by k.oid, i`,
    [oids],
  );
  const keys = new Map<string, ForeignKey & { columns: ForeignKey["columns"][number][] }>();
  for (const [
    oid,
    child,
    parent,
    childName,
    parentName,
    from,
    to,
    parentIsChild,
    parentIsParent,
    childIsChild,
    drop,
    add,
  ] of rows as string[][]) {
    let key = keys.get(oid!);
    if (key === undefined) {
      key = {
        oid: oid!,
        child: child!,
        parent: parent!,
        childName: childName!,
        parentName: parentName!,
        drop: drop!,
        add: add!,
        columns: [],
      };
      keys.set(oid!, key);
    }
    key.columns.push({ from: from!, to: to!, parentIsChild: parentIsChild!, parentIsParent: parentIsParent!, childIsChild: childIsChild! });
  }
  return [...keys.values()];
}

export async function lateUniquesOf(control: Control, oids: readonly string[]): Promise<LateUnique[]> {
  const rows = await control.rows(
    `select k.oid, k.conrelid, 'only ' || k.conrelid::regclass, a.attname, ${OPERATOR("coalesce(k.conexclop[i], am.amopopr)")}
       from pg_constraint k join pg_index x on x.indexrelid = k.conindid
       cross join generate_subscripts(k.conkey, 1) i
       join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[i]
       join pg_opclass p on p.oid = x.indclass[i - 1]
       left join pg_amop am on am.amopfamily = p.opcfamily and am.amopstrategy = 3 and am.amoplefttype = p.opcintype and am.amoprighttype = p.opcintype
      where k.contype in ('p', 'u', 'x') and k.condeferrable and k.conrelid = any($1::oid[]) order by k.oid, i`,
    [oids],
  );
  const uniques = new Map<string, LateUnique & { columns: LateUnique["columns"][number][] }>();
  for (const [oid, table, tableName, name, operator] of rows as string[][]) {
    let unique = uniques.get(oid!);
    if (unique === undefined) uniques.set(oid!, (unique = { table: table!, tableName: tableName!, columns: [] }));
    unique.columns.push({ name: name!, operator: operator! });
  }
  return [...uniques.values()];
}
