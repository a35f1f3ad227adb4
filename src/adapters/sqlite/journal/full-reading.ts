import type { Database } from "better-sqlite3";
import type { Observed, ObservedColumn, ObservedTable, StoredValue } from "../../../model/stores/store-adapter.ts";
import { allCounters, observeCounters, shown, withoutCommon, type ExactRow, type ExactValue } from "../../../stores/index.ts";
import { counterReader } from "./counters.ts";
import { isOfExtension } from "../connect/failures.ts";
import { quoteName } from "../connect/sql-text.ts";
import { observedColumns } from "./table-plan.ts";

/** The content of a whole database, which is read if the store has no journal. The cost grows with the size of the database. */
export interface FullReading {
  readonly tables: ReadonlyMap<string, { readonly columns: readonly ObservedColumn[]; readonly rows: StoredValue[][] }>;
  readonly counters: readonly ExactRow[];
}

type TableReading = { columns: readonly ObservedColumn[]; rows: StoredValue[][] };

/**
 * Reads all tables of the database. For a virtual table, only the main table is read, because its shadow tables repeat the same data, in an order
 * that depends on earlier writes. If the main table cannot be read because only the target loads its extension, the shadow tables are read.
 */
export function readEverything(db: Database, observed: readonly string[] | undefined): FullReading {
  const tables = new Map<string, TableReading>();
  const all = db
    .prepare<[], { name: string; type: string }>(
      `select name, type from pragma_table_list where schema = 'main' and type in ('table', 'virtual', 'shadow')
       and name not like 'sqlite\\_%' escape '\\' and name not like 'seqqa\\_%' escape '\\' order by name`,
    )
    .all();
  const read = (name: string): void => {
    const table = readTable(db, name);
    if (table.columns.length > 0) tables.set(name, table);
  };
  for (const { name, type } of all) {
    if (type === "shadow" || (observed !== undefined && !observed.includes(name))) continue;
    try {
      read(name);
    } catch (error) {
      if (!isOfExtension(error)) throw error;
      for (const { name: shadow } of all) if (shadow.startsWith(`${name}_`)) read(shadow);
    }
  }
  return { tables, counters: counterReader(db).all() };
}

function readTable(db: Database, name: string): TableReading {
  const columns = db
    .prepare<[string], { name: string; pk: number }>("select name, pk from pragma_table_xinfo(?) where hidden = 0 order by cid")
    .all(name);
  if (columns.length === 0) return { columns, rows: [] };
  const rows = db
    .prepare<[], ExactValue[]>(`select ${columns.map((column) => quoteName(column.name)).join(", ")} from ${quoteName(name)}`)
    .raw()
    .safeIntegers()
    .all();
  return { columns: observedColumns(db, name, columns), rows: rows.map((row) => row.map(shown)) };
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
  const tables: ObservedTable[] = [];
  for (const name of [...new Set([...root.tables.keys(), ...now.tables.keys()])].sort()) {
    const before = root.tables.get(name);
    const after = now.tables.get(name);
    const [added, removed] = withoutCommon(after?.rows ?? [], before?.rows ?? []);
    const columns = after?.columns ?? before?.columns ?? [];
    if (added.length > 0 || removed.length > 0) tables.push({ name, columns, added, removed });
  }
  return { kind: "rows", tables, counters: observeCounters(root.counters, now.counters) };
}
