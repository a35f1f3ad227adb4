import type { Database } from "better-sqlite3";
import type { Observed, ObservedColumn, ObservedTable, StoredValue } from "../../../model/stores/store-adapter.ts";
import {
  allCounters,
  observeCounters,
  schemaChanges,
  shown,
  withoutCommon,
  type ExactRow,
  type ExactValue,
} from "../../../stores/index.ts";
import { counterReader } from "./counters.ts";
import { isOfExtension } from "../connect/failures.ts";
import { schemaText } from "../connect/schema-text.ts";
import { quoteName } from "../connect/sql-text.ts";
import { exactRows } from "./table-io.ts";
import { observedColumns } from "./table-plan.ts";

/** The content of a whole database, which is read if the store has no journal. The cost grows with the size of the database. */
export interface FullReading {
  readonly tables: ReadonlyMap<string, { readonly columns: readonly ObservedColumn[]; readonly rows: StoredValue[][] }>;
  readonly counters: readonly ExactRow[];
  /** The definitions of tables, views, triggers and unique indexes. Empty if only some tables are observed. */
  readonly schema: readonly string[];
}

type TableReading = { columns: readonly ObservedColumn[]; rows: StoredValue[][] };

/** Matches the SQL of a table for full-text search, up to its arguments. Full-text tables have row ids, by which queries join them to other tables. */
const FULL_TEXT = /\busing\s+["'`[]?fts([345])\b/i;
/** Matches the option of a full-text table that has its content in another table, or has none (`content=''`). */
const CONTENT_ELSEWHERE = /\bcontent\s*=/i;

/**
 * Reads all tables of the database. For a virtual table, only the main table is read, because its shadow tables repeat the same data, in an order
 * that depends on earlier writes. There are two exceptions:
 * - A full-text table that has its content elsewhere returns the rows of the other table. The words of its index are read instead, since the index
 *   need not agree with the other table. Columns that are stored without words (`contentless_unindexed`) are read, too.
 * - If the main table cannot be read because only the target loads its extension, the shadow tables are read.
 */
export function readEverything(db: Database, observed: readonly string[] | undefined): FullReading {
  const tables = new Map<string, TableReading>();
  const all = db
    .prepare<[], { name: string; type: string; sql: string }>(
      `select l.name, l.type, coalesce(s.sql, '') as sql from pragma_table_list l left join sqlite_schema s on s.type = 'table' and s.name = l.name
       where l.schema = 'main' and l.type in ('table', 'virtual', 'shadow')
       and l.name not like 'sqlite\\_%' escape '\\' and l.name not like 'seqqa\\_%' escape '\\' order by l.name`,
    )
    .all();
  const read = (name: string, isFullText = false): void => {
    const table = readTable(db, name, isFullText);
    if (table.columns.length > 0) tables.set(name, table);
  };
  const readShadows = (name: string): void => {
    for (const { name: shadow } of all) if (shadow.startsWith(`${name}_`)) read(shadow);
  };
  for (const { name, type, sql } of all) {
    if (type === "shadow" || (observed !== undefined && !observed.includes(name))) continue;
    const version = type === "virtual" ? FULL_TEXT.exec(sql)?.[1] : undefined;
    try {
      if (version === undefined || !CONTENT_ELSEWHERE.test(sql)) read(name, version !== undefined);
      else if (version === "5") {
        tables.set(name, readWords(db, name));
        // With `content=''`, this table exists only if it stores the columns that are not indexed.
        const content = `${name}_content`;
        if (all.some((one) => one.type === "shadow" && one.name === content)) read(content);
      }
      // FTS4 cannot list the words of each row.
      else readShadows(name);
    } catch (error) {
      if (!isOfExtension(error)) throw error;
      readShadows(name);
    }
  }
  const schema = observed === undefined ? [...schemaText(db)].map(([name, sql]) => sql || name) : [];
  return { tables, counters: counterReader(db).all(), schema };
}

/** Reads the rows of a table, for a full-text table with their row ids. */
function readTable(db: Database, name: string, isFullText: boolean): TableReading {
  const columns = db
    .prepare<[string], { name: string; pk: number }>("select name, pk from pragma_table_xinfo(?) where hidden = 0 order by cid")
    .all(name);
  if (columns.length === 0) return { columns, rows: [] };
  if (isFullText) columns.unshift({ name: "rowid", pk: 1 });
  const rows = exactRows(
    db,
    columns.map((column) => quoteName(column.name)),
    `from ${quoteName(name)}`,
  );
  return { columns: observedColumns(db, name, columns), rows: rows.map((row) => row.map(shown)) };
}

/**
 * Reads the words in the index of an FTS5 table, each with its row, column and position. The module `fts5vocab` returns them, for which it needs a
 * table, which is a temporary one of this connection. https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module
 */
function readWords(db: Database, name: string): TableReading {
  // Fails if only the target can load the tokenizer.
  db.prepare(`select 1 from ${quoteName(name)} limit 0`);
  const words = quoteName(`seqqa_words_${name}`);
  db.exec(`create virtual table if not exists temp.${words} using fts5vocab(main, ${quoteName(name)}, instance)`);
  const rows = db.prepare<[], ExactValue[]>(`select term, doc, col, offset from temp.${words}`).raw().safeIntegers().all();
  return { columns: ["term", "doc", "col", "offset"].map((column) => ({ name: column })), rows: rows.map((row) => row.map(shown)) };
}

export function observeEverything(reading: FullReading): Observed {
  const tables = [...reading.tables].filter(([, table]) => table.rows.length > 0);
  return {
    kind: "rows",
    tables: tables.map(([name, table]) => ({ name, columns: table.columns, added: table.rows, removed: [] })),
    counters: allCounters(reading.counters),
  };
}

export function observeDifference(root: FullReading, now: FullReading): Observed {
  const tables: ObservedTable[] = [...schemaChanges(root.schema, now.schema)];
  for (const name of [...new Set([...root.tables.keys(), ...now.tables.keys()])].sort()) {
    const before = root.tables.get(name);
    const after = now.tables.get(name);
    const [added, removed] = withoutCommon(after?.rows ?? [], before?.rows ?? []);
    const columns = after?.columns ?? before?.columns ?? [];
    if (added.length > 0 || removed.length > 0) tables.push({ name, columns, added, removed });
  }
  return { kind: "rows", tables, counters: observeCounters(root.counters, now.counters) };
}
