import type { ObservedColumn } from "../../../model/stores/store-adapter.ts";
import { kindOf, type Column } from "../journal/columns.ts";
import type { Queries, Row } from "../connect/control.ts";
import { exactly, named, quoteName } from "../connect/sql-text.ts";

/** The prefix of the names of all tables and triggers that seqqa creates in a database. */
export const OURS = "seqqa_journal_";

export interface Table {
  readonly name: string;
  readonly sqlName: string;
  readonly engine: string;
  /** The stored columns. Generated columns are left out, because the server computes them from stored columns. */
  readonly columns: readonly Column[];
  /**
   * The positions of the columns that identify a row: the primary key, or a unique key without NULLs. Empty if the table has no such key; a row is
   * then identified by all its values.
   */
  readonly key: readonly number[];
  readonly shown: readonly ObservedColumn[];
  /**
   * The positions of columns for which an AFTER UPDATE trigger may see a new value that was not stored. A unique index or foreign key may refuse the
   * new value of its columns. A column with ON UPDATE CURRENT_TIMESTAMP keeps its old value if nothing else in the row changed.
   */
  readonly constrained: readonly number[];
  /**
   * The positions of columns that are neither compared nor restored. Only tables of external stores have such columns. Key columns are never ignored,
   * and a table without a key has no ignored columns.
   */
  readonly ignored: readonly number[];
  /** The column with AUTO_INCREMENT. `undefined` if there is none. */
  readonly counted: string | undefined;
  /** The positions of columns that were added after the run had begun. Restores ignore these columns. Default: none. */
  readonly added?: readonly number[] | undefined;
  /** The reason why the recorded rows cannot be restored: the table was dropped or altered. Default: they can be restored. */
  readonly lost?: string | undefined;
}

export interface ForeignKey {
  readonly name: string;
  readonly child: string;
  readonly childColumns: readonly string[];
  readonly parent: string;
  readonly parentColumns: readonly string[];
  readonly onDelete: Action;
  readonly onUpdate: Action;
}

export type Action = "none" | "cascade" | "null";

export interface UserTrigger {
  readonly name: string;
  readonly table: string;
  readonly statement: string;
}

export interface Catalog {
  readonly tables: readonly Table[];
  readonly keys: readonly ForeignKey[];
  readonly triggers: readonly UserTrigger[];
  /** Reasons why no checkpoint mode can restore this database. */
  readonly strange: readonly string[];
  /** Reasons why the checkpoint mode `journal` cannot be used. */
  readonly unjournalled: readonly string[];
}

export async function readCatalog(control: Queries): Promise<Catalog> {
  const schema = control.store.database;
  const ours = `not like '${OURS.replaceAll("_", "\\\\_")}%'`;
  // Each of these queries names one schema and has no join. With a join, the server would open all tables and views of this schema.
  const [tables, columns, indexes, uses, rules, triggers, checks] = (await control.batch([
    `select table_name, table_type, engine, create_options from information_schema.tables where ${named("table_schema", schema)} and table_name ${ours} and table_type <> 'VIEW' order by table_name`,
    `select table_name, column_name, data_type, character_set_name, generation_expression, extra from information_schema.columns where ${named("table_schema", schema)} order by table_name, ordinal_position`,
    `select table_name, index_name, column_name, non_unique, nullable, sub_part from information_schema.statistics where ${named("table_schema", schema)} order by table_name, index_name = 'PRIMARY' desc, index_name, seq_in_index`,
    `select constraint_name, table_name, column_name, referenced_table_name, referenced_column_name, ${exactly("referenced_table_schema", schema)} from information_schema.key_column_usage
      where ${named("table_schema", schema)} and referenced_table_name is not null order by table_name, constraint_name, ordinal_position`,
    `select table_name, constraint_name, delete_rule, update_rule from information_schema.referential_constraints where ${named("constraint_schema", schema)}`,
    `select trigger_name, event_object_table, action_statement from information_schema.triggers where ${named("event_object_schema", schema)} and trigger_name ${ours} order by event_object_table, action_timing, event_manipulation, action_order`,
    `select * from information_schema.check_constraints where ${named("constraint_schema", schema)}`,
  ])) as [Row[], Row[], Row[], Row[], Row[], Row[], Row[]];
  const documents = jsonColumns(checks);
  const foreign = foreignKeys(uses, rules);
  foreign.outside.push(...(await childrenElsewhere(control)));
  const [strange, unjournalled]: [string[], string[]] = [[], foreign.outside];
  const found: Table[] = [];
  for (const [name, type, engine, options] of tables as string[][]) {
    if (type === "SEQUENCE" || type === "SYSTEM VERSIONED") {
      strange.push(`"${name!}" is a ${type.toLowerCase()}${type === "SEQUENCE" ? "" : " table"}`);
      continue;
    }
    if (engine !== "InnoDB") unjournalled.push(`table "${name!}" has the engine ${engine ?? "none"}, which does not support transactions`);
    const own = columns.filter((row) => row[0] === name);
    const partitioned = /partitioned/i.test(options ?? "");
    found.push(tableOf(name!, { engine: engine ?? "", rows: own, indexes, keys: foreign.keys, documents, partitioned }, strange));
  }
  return {
    tables: found,
    keys: foreign.keys,
    triggers: (triggers as string[][]).map(([name, table, statement]) => ({ name: name!, table: table!, statement: statement! })),
    strange,
    unjournalled,
  };
}

/**
 * Returns the JSON columns of all tables. Each entry is the name of the table, a line break, and the name of the column. In MariaDB, a JSON column is
 * a text column with a `json_valid` check. Only MariaDB returns six columns for a check, including the table of the check.
 */
function jsonColumns(checks: readonly Row[]): Set<string> {
  const found = new Set<string>();
  for (const row of checks) {
    if (row.length !== 6) continue;
    const [, , table, name, , clause] = row;
    if (clause === `json_valid(${quoteName(name ?? "")})`) found.add(`${table ?? ""}\n${name ?? ""}`);
  }
  return found;
}

/**
 * Finds tables in other databases whose foreign keys refer to this database. Rows of such tables could change together with rows of this database.
 * Without the PROCESS privilege, finds no tables.
 */
async function childrenElsewhere(control: Queries): Promise<string[]> {
  const own = "concat(convert(database() using filename), '/')";
  const starts = (name: string): string => `cast(left(${name}, char_length(${own})) as binary) = cast(${own} as binary)`;
  for (const table of ["innodb_sys_foreign", "innodb_foreign"]) {
    try {
      const rows = await control.rows(
        `select for_name from information_schema.${table} where ${starts("ref_name")} and not ${starts("for_name")}`,
      );
      return rows.map(([name]) => `table "${name ?? ""}" of another database has a foreign key to this database`);
    } catch {
      // This server has no such table, or the user is not allowed to read the table. Try the next query.
    }
  }
  return [];
}

interface TableRows {
  readonly engine: string;
  readonly rows: readonly Row[];
  readonly indexes: readonly Row[];
  readonly keys: readonly ForeignKey[];
  /** The JSON columns of all tables. Each entry is the name of the table, a line break, and the name of the column. */
  readonly documents: ReadonlySet<string>;
  readonly partitioned: boolean;
}

/** Builds the description of a table. If a column has an unsupported type, adds a text about it to `strange`. */
function tableOf(name: string, found: TableRows, strange: string[]): Table {
  const { engine, rows, indexes, keys, documents } = found;
  const columns: Column[] = [];
  for (const [, column, type, charset, generation, extra] of rows) {
    if ((generation ?? "") !== "" || /\b(?:VIRTUAL|STORED|PERSISTENT) GENERATED\b|\bWITHOUT SYSTEM VERSIONING\b/i.test(extra ?? ""))
      continue;
    let kind = kindOf(type!);
    if (kind === undefined) {
      strange.push(`column "${name}.${column!}" is of the type ${type!}, which seqqa does not support`);
      kind = "plain";
    }
    if (kind === "text" && documents.has(`${name}\n${column!}`)) kind = "json";
    // utf8mb3 is the newer name of utf8. Older versions know only the older name.
    columns.push({
      name: column!,
      kind,
      charset: charset === null || charset === undefined ? "binary" : charset.replace(/^utf8mb3$/, "utf8"),
    });
  }
  const key = keyOf(name, columns, indexes);
  const primary = new Set(indexes.filter((row) => row[0] === name && row[1] === "PRIMARY").map((row) => row[2]));
  const shown = columns.map((column): ObservedColumn => {
    const refers = keys.find((one) => one.child === name && one.childColumns.includes(column.name));
    const at = refers?.childColumns.indexOf(column.name) ?? -1;
    return {
      name: column.name,
      ...(primary.has(column.name) ? { key: true } : {}),
      ...(refers === undefined ? {} : { references: { table: refers.parent, column: refers.parentColumns[at]! } }),
    };
  });
  const stamped = rows.filter((row) => /\bon update\b/i.test(row[5] ?? "")).map((row) => row[1]!);
  const constrained = constrainedColumns(name, columns, stamped, found);
  const counted = rows.find(([, , , , , extra]) => /\bauto_increment\b/i.test(extra ?? ""))?.[1] ?? undefined;
  return { name, sqlName: quoteName(name), engine, columns, key, shown, constrained, ignored: [], counted };
}

function constrainedColumns(
  table: string,
  columns: readonly Column[],
  stamped: readonly string[],
  { indexes, keys, partitioned }: TableRows,
): number[] {
  const names = new Set([
    ...stamped,
    ...indexes.filter(([of, , , nonUnique]) => of === table && nonUnique === "0").map(([, , column]) => column),
    ...keys.flatMap((key) => [...(key.child === table ? key.childColumns : []), ...(key.parent === table ? key.parentColumns : [])]),
  ]);
  // If a generated column is constrained, all columns count as constrained, because the generated value may depend on any of them. In a partitioned
  // table, all columns also count as constrained, because any value may belong to no partition.
  const any = partitioned || [...names].some((name) => !columns.some((column) => column.name === name));
  return columns.flatMap((column, at) => (any || names.has(column.name) ? [at] : []));
}

/**
 * Returns the positions of the columns that identify a row: the primary key, or else the first unique index of whole, stored columns that are never
 * NULL.
 */
function keyOf(table: string, columns: readonly Column[], indexes: readonly Row[]): number[] {
  const unique = new Map<string, number[] | undefined>();
  for (const [of, index, column, nonUnique, nullable, part] of indexes) {
    if (of !== table || nonUnique !== "0") continue;
    const at = columns.findIndex((one) => one.name === column);
    const usable = at >= 0 && nullable !== "YES" && part === null;
    const before = unique.has(index!) ? unique.get(index!) : [];
    unique.set(index!, usable && before !== undefined ? [...before, at] : undefined);
  }
  return [...unique.values()].find((key) => key !== undefined) ?? [];
}

function actionOf(rule: string): Action {
  return rule === "CASCADE" ? "cascade" : rule === "SET NULL" ? "null" : "none";
}

function foreignKeys(uses: readonly Row[], rules: readonly Row[]): { keys: ForeignKey[]; outside: string[] } {
  const keys: (ForeignKey & { childColumns: string[]; parentColumns: string[] })[] = [];
  const outside: string[] = [];
  for (const [name, child, column, parent, referenced, within] of uses as string[][]) {
    const [, , onDelete, onUpdate] = rules.find(([table, rule]) => table === child && rule === name) ?? [];
    const actions = { onDelete: actionOf(onDelete ?? ""), onUpdate: actionOf(onUpdate ?? "") };
    if (within !== "1") {
      if (actions.onDelete !== "none" || actions.onUpdate !== "none")
        outside.push(`foreign key "${name!}" of table "${child!}" changes rows across databases (ON DELETE or ON UPDATE)`);
      continue;
    }
    let key = keys.find((one) => one.name === name && one.child === child);
    if (key === undefined)
      keys.push((key = { name: name!, child: child!, childColumns: [], parent: parent!, parentColumns: [], ...actions }));
    key.childColumns.push(column!);
    key.parentColumns.push(referenced!);
  }
  return { keys, outside };
}
