import type { Database } from "better-sqlite3";
import type { ObservedColumn } from "../../../model/stores/store-adapter.ts";
import type { TableShape } from "../../../stores/index.ts";
import { quoteName } from "../connect/sql-text.ts";
import { readUniques, type ColumnInfo, type Unique } from "./unique-plan.ts";

export interface TablePlan extends TableShape {
  readonly sqlName: string;
  /** The quoted names of the stored columns, in the order of row values. A hidden rowid comes first; generated columns are left out. */
  readonly stored: readonly string[];
  /**
   * The unique constraints of the table, except the constraint of the rowid. REPLACE deletes an existing row if the new row would violate one of
   * these constraints.
   */
  readonly uniques: readonly Unique[];
  readonly withoutRowid: boolean;
  /** Positions of the columns that are neither compared nor restored, because `ignore` names them. Empty unless the file is external. */
  readonly ignoredAt: readonly number[];
  /** Only for a restore after a run: the reason why the rows of this table cannot be restored. Its rows can be neither read nor written. */
  readonly lost?: string | undefined;
  /**
   * Only for a restore after a run: an SQL condition that is true for a row whose columns that were added after the run had begun have their default
   * values. `stored` does not contain these columns. `undefined` if no column was added.
   */
  readonly untouched?: string | undefined;
  /**
   * Only for a restore after a run: says that the table was dropped and created again with the same columns. The journal then lacks rows that the run
   * had not changed before.
   */
  readonly recreated?: string | undefined;
}

interface Listed {
  readonly name: string;
  readonly type: string;
  readonly wr: number;
}

const LISTED = "select name, type, wr from pragma_table_list where schema = 'main' and type <> 'view'";

/** Returns the user's tables, or a text with the reason why they cannot be journalled. */
export function planTables(db: Database, observed: readonly string[] | undefined): TablePlan[] | string {
  const rows = db
    .prepare<[], Listed>(`${LISTED} and name not like 'sqlite\\_%' escape '\\' and name not like 'seqqa\\_%' escape '\\' order by name`)
    .all();
  const plans: TablePlan[] = [];
  for (const row of rows) {
    const plan = planTable(db, row, plans.length, observed === undefined || observed.includes(row.name));
    if (typeof plan === "string") return plan;
    plans.push(plan);
  }
  return plans;
}

/** Returns one table with the number `index`, a text with the reason why it cannot be journalled, or `undefined` if there is no such table. */
export function planOf(db: Database, name: string, index: number): TablePlan | string | undefined {
  const row = db.prepare<[string], Listed>(`${LISTED} and name = ?`).get(name);
  return row === undefined ? undefined : planTable(db, row, index, true);
}

/** The maximum number of columns of a journalled table. SQLite allows 2,000 columns by default, and the undo log needs some columns of its own. */
const WIDEST = 1900;

function planTable(db: Database, { name, type, wr }: Listed, index: number, observed: boolean): TablePlan | string {
  if (type === "virtual" || type === "shadow") return `table "${name}" belongs to a virtual table, for which seqqa cannot create triggers`;
  const withoutRowid = wr === 1;
  const columns = db.prepare<[string], ColumnInfo>('select name, "notnull", dflt_value, pk, hidden from pragma_table_xinfo(?)').all(name);
  const stored = columns.filter((column) => column.hidden === 0);
  if (stored.length > WIDEST) return `table "${name}" has more than ${WIDEST} columns`;
  const layout = layOut(db, name, withoutRowid, columns);
  if (typeof layout === "string") return layout;
  const uniques = readUniques(db, name, columns);
  if (typeof uniques === "string") return uniques;
  return {
    index,
    name,
    sqlName: quoteName(name),
    stored: [...(layout.hidden === undefined ? [] : [layout.hidden]), ...stored.map((column) => quoteName(column.name))],
    keyAt: layout.keyAt,
    shownFrom: layout.hidden === undefined ? 0 : 1,
    columns: observedColumns(db, name, stored),
    observed,
    isOrdered: layout.hidden !== undefined && uniques.length === 0,
    uniques,
    withoutRowid,
    ignoredAt: [],
  };
}

function layOut(
  db: Database,
  name: string,
  withoutRowid: boolean,
  columns: readonly ColumnInfo[],
): { readonly keyAt: readonly number[]; readonly hidden: string | undefined } | string {
  const stored = columns.filter((column) => column.hidden === 0);
  const keys = stored.filter((column) => column.pk > 0);
  if (withoutRowid) return { keyAt: keys.map((key) => stored.indexOf(key)), hidden: undefined };
  // An INTEGER PRIMARY KEY is the rowid itself and therefore has no index. An INTEGER PRIMARY KEY DESC is an ordinary column with an index.
  const indexed = db.prepare("select 1 from pragma_index_list(?) where origin = 'pk'").get(name) !== undefined;
  const [key] = keys;
  if (key !== undefined && !indexed) return { keyAt: [stored.indexOf(key)], hidden: undefined };
  const taken = new Set(columns.map((column) => column.name.toLowerCase()));
  const hidden = ["rowid", "_rowid_", "oid"].find((one) => !taken.has(one));
  return hidden === undefined
    ? `table "${name}" has columns named rowid, _rowid_ and oid, so seqqa cannot read the row ids`
    : { keyAt: [0], hidden };
}

export function observedColumns(
  db: Database,
  name: string,
  columns: readonly { readonly name: string; readonly pk: number }[],
): ObservedColumn[] {
  // A foreign key may spell the names of the parent table and its column in another case.
  const foreign = db
    .prepare<[string], { table: string; from: string; to: string | null; seq: number }>(
      `select coalesce(p.name, f."table") as "table", f."from", f.seq,
              coalesce((select c.name from pragma_table_info(p.name) c where c.name = f."to" collate nocase), f."to") as "to"
         from pragma_foreign_key_list(?) f left join sqlite_schema p on p.type = 'table' and p.name = f."table" collate nocase`,
    )
    .all(name);
  return columns.map((column) => {
    const key = foreign.find((one) => one.from.toLowerCase() === column.name.toLowerCase());
    const to = key === undefined ? undefined : (key.to ?? primaryKey(db, key.table, key.seq));
    return {
      name: column.name,
      ...(column.pk > 0 ? { key: true } : {}),
      ...(key === undefined || to === undefined ? {} : { references: { table: key.table, column: to } }),
    };
  });
}

/** Returns the name of the primary key column at position `seq`. A foreign key that names no parent columns refers to the primary key. */
function primaryKey(db: Database, table: string, seq: number): string | undefined {
  return db
    .prepare<[string, number], string>("select name from pragma_table_info(?) where pk = cast(? as integer)")
    .pluck()
    .get(table, seq + 1);
}
