import type { Database } from "better-sqlite3";
import { indexParts, rewriteColumns } from "./index-parts.ts";
import { quoteName } from "../connect/sql-text.ts";

/** A column as `pragma table_xinfo` describes it. `hidden` is 2 or 3 for generated columns. */
export interface ColumnInfo {
  readonly name: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
  readonly hidden: number;
}

/** A unique constraint, as an SQL condition that finds the existing rows that a new row would replace. */
export interface Unique {
  /** An SQL condition that is true for existing rows that conflict with the new row `NEW`. */
  readonly conflict: string;
  /**
   * The columns of the constraint. An UPDATE that sets none of these columns replaces no rows. `undefined` if the constraint uses generated columns.
   */
  readonly decidedBy: readonly string[] | undefined;
}

interface Term {
  readonly cid: number;
  readonly name: string | null;
  readonly coll: string;
}

/** Returns the unique constraints of a table, or a text with the reason why a trigger cannot express one of them. */
export function readUniques(db: Database, table: string, columns: readonly ColumnInfo[]): Unique[] | string {
  const indexes = db
    .prepare<[string], { name: string; partial: number }>('select name, partial from pragma_index_list(?) where "unique" = 1 order by seq')
    .all(table);
  const uniques: Unique[] = [];
  for (const index of indexes) {
    const terms = db
      .prepare<[string], Term>("select cid, name, coll from pragma_index_xinfo(?) where key = 1 order by seqno")
      .all(index.name);
    const sql = db
      .prepare<[string], string | null>("select sql from sqlite_schema where type = 'index' and name = ?")
      .pluck()
      .get(index.name);
    const unique = repeat(terms, index.partial === 1, sql ?? undefined, columns);
    if (unique === undefined) return `seqqa's triggers cannot check the unique index "${index.name}" of table "${table}"`;
    uniques.push(unique);
  }
  return uniques;
}

function repeat(terms: readonly Term[], partial: boolean, sql: string | undefined, columns: readonly ColumnInfo[]): Unique | undefined {
  const byName = new Map(columns.map((column) => [column.name.toLowerCase(), column]));
  const names = new Set(byName.keys());
  const fresh = (column: string): string => valueToBe(byName.get(column) as ColumnInfo);
  const parts =
    sql !== undefined && (partial || terms.some((term) => term.name === null)) ? indexParts(sql) : { terms: [], where: undefined };
  if (parts === undefined || (partial && parts.where === undefined)) return undefined;
  const conditions: string[] = [];
  const used: string[] = [];
  for (const [i, term] of terms.entries()) {
    const collation = ` collate ${quoteName(term.coll)}`;
    if (term.name !== null) {
      conditions.push(`${quoteName(term.name)} = ${fresh(term.name.toLowerCase())}${collation}`);
      used.push(term.name.toLowerCase());
      continue;
    }
    const text = term.cid === -2 ? parts.terms[i] : undefined;
    const about = text === undefined ? undefined : rewriteColumns(text, names, fresh);
    if (text === undefined || about === undefined) return undefined;
    conditions.push(`(${text}) = (${about.sql})${collation}`);
    used.push(...about.used);
  }
  if (parts.where !== undefined) {
    const about = rewriteColumns(parts.where, names, fresh);
    if (about === undefined) return undefined;
    // Repeat the WHERE expression of the partial index exactly as written. Otherwise SQLite would not use the index for this query.
    conditions.push(`(${parts.where})`, `(${about.sql})`);
    used.push(...about.used);
  }
  const generated = used.some((column) => (byName.get(column) as ColumnInfo).hidden !== 0);
  // In a BEFORE UPDATE trigger, SQLite computes generated columns of NEW only from columns that the trigger mentions, and treats all other columns as
  // NULL. Add conditions that mention every column and are always true.
  if (generated)
    conditions.push(...columns.filter((one) => one.hidden === 0).map((one) => `NEW.${quoteName(one.name)} is NEW.${quoteName(one.name)}`));
  return { conflict: conditions.join(" and "), decidedBy: generated ? undefined : [...new Set(used)] };
}

/**
 * Returns an SQL expression for the value that the new row will have in a column. If a NOT NULL column gets NULL, REPLACE stores the column's
 * default.
 */
function valueToBe(column: ColumnInfo): string {
  const value = `NEW.${quoteName(column.name)}`;
  return column.notnull === 1 && column.dflt_value !== null ? `coalesce(${value}, (${column.dflt_value}))` : value;
}
