import type { Database } from "better-sqlite3";
import type { TableSchema } from "../../../model/stores/store-adapter.ts";
import { referencesOf } from "../journal/put-back-kept.ts";
import { isOfExtension } from "./failures.ts";

/**
 * Returns the SQL of the schema objects that affect the journal: tables, views, all triggers and unique indexes. The keys are the names of the
 * objects. Plain indexes, statistics and the schema version are left out, because ANALYZE, VACUUM and CREATE INDEX change them.
 */
export function schemaText(db: Database): Map<string, string> {
  const rows = db
    .prepare<[], { name: string; type: string; sql: string }>(
      `select name, type, coalesce(sql, '') as sql from sqlite_schema
       where name not like 'sqlite\\_%' escape '\\' and (type <> 'index' or sql like 'create%unique%index%') order by type, name`,
    )
    .all();
  return new Map(rows.map(({ name, type, sql }) => [`${type} "${name}"`, sql]));
}

/** Returns a description of how the schema changed, or `undefined` if it is unchanged. */
export function schemaDifference(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string | undefined {
  const differing: string[] = [];
  for (const [name, sql] of now) {
    if (!before.has(name)) differing.push(`${name} was created`);
    else if (before.get(name) !== sql) differing.push(`${name} was altered`);
  }
  for (const name of before.keys())
    if (!now.has(name)) differing.push(name.includes('"seqqa_') ? "a table was dropped and created again" : `${name} was dropped`);
  return differing.length === 0 ? undefined : [...new Set(differing)].slice(0, 3).join(", ");
}

/**
 * Returns the user's tables with their columns. Tables that seqqa created are left out. Virtual tables of an extension that only the target loads have
 * no columns. `isOrdered`: `true` if observations contain the order of rows. Default: `false`.
 */
export function schemaOf(db: Database, isOrdered = false): readonly TableSchema[] {
  const names = db
    .prepare<[], string>(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name not like 'seqqa\\_%' escape '\\'
       order by name`,
    )
    .pluck()
    .all();
  const columns = db.prepare<[string], string>("select name from pragma_table_xinfo(?) order by cid").pluck();
  const counted = db
    .prepare<[string], string>(
      "select x.name from sqlite_schema s, pragma_table_xinfo(s.name) x where s.name = ? and s.type = 'table' and s.sql like '%autoincrement%' and x.pk > 0",
    )
    .pluck();
  // A table with a key that is not the rowid: SQLite reads its rows in the order of their hidden rowids, if no index is used.
  const hasHiddenOrder = db
    .prepare<[{ readonly name: string }], number>(
      "select 1 from pragma_table_list(@name) t where t.schema = 'main' and t.type = 'table' and t.wr = 0 and exists (select 1 from pragma_index_list(@name) i where i.\"unique\" = 1) and not exists (select 1 from pragma_table_xinfo(@name) x where x.pk > 0 and not exists (select 1 from pragma_index_list(@name) i where i.origin = 'pk'))",
    )
    .pluck();
  const keys = db.prepare<[string], string>("select name from pragma_table_xinfo(?) where pk > 0").pluck();
  const foreign = referencesOf(db).filter(({ from }) => from.length === 1);
  return names.map((name): TableSchema => {
    try {
      const references = foreign
        .filter(({ child }) => child === name)
        .map(({ parent, from, to }) => ({ column: from[0]!, to: { table: parent, column: to[0]! }, isChecked: false }));
      // A table with AUTOINCREMENT always has a key of one column, and a counter with the name of the table.
      const column = counted.get(name);
      return {
        name,
        columns: columns.all(name),
        ...(references.length > 0 && { references }),
        ...(isOrdered && hasHiddenOrder.get({ name }) !== undefined && { readOrder: { key: only(keys.all(name)) } }),
        ...(column !== undefined && { counters: [{ name, column, shows: "last" }] }),
      };
    } catch (error) {
      if (isOfExtension(error)) return { name, columns: [] };
      throw error;
    }
  });
}

const only = (keys: readonly string[]): string | undefined => (keys.length === 1 ? keys[0] : undefined);
