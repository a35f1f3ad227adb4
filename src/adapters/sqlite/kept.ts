import type { Database, Statement } from "better-sqlite3";
import { isRawText, sameRow, type ExactRow, type ExactValue, type RowKey } from "../../systems/index.ts";
import { hasTable } from "./owner.ts";
import { bindable, exactRow, type TableIo } from "./table-io.ts";
import type { TablePlan } from "./table-plan.ts";

const TABLES = "seqqa_tables";
const KEPT = "seqqa_kept";
const COUNTERS = "seqqa_counters";

/** So many rows are kept before those are looked for that need not be. */
const PRUNE_FROM = 4096;

/** A row as it was when a borrowed store was opened. */
export interface KeptRow {
  readonly table: number;
  /** Its identifying values. */
  readonly key: ExactRow;
  /** `null`: it was not there. */
  readonly image: ExactRow | null;
}

/** How the log names its tables, for who has nothing but the file. */
export interface RecordedTable {
  readonly name: string;
  /** The stored columns and the positions of the key, as one text to compare. */
  readonly layout: string;
}

export function layoutOf(plan: TablePlan): string {
  return JSON.stringify([plan.stored, plan.keyAt, plan.withoutRowid]);
}

/** Makes the tables that say what the store is now. Expects a transaction. */
export function installKept(db: Database, plans: readonly TablePlan[]): void {
  const width = Math.max(1, ...plans.map((plan) => plan.stored.length));
  const columns = Array.from({ length: width }, (_, i) => `c${i}`).join(", ");
  db.exec(`create table ${KEPT}(seq integer primary key, code, ${columns});
    create table ${TABLES}(idx integer primary key, name text, layout text);
    create table ${COUNTERS}(at, name, seq)`);
  const insert = db.prepare(`insert into ${TABLES} values(?, ?, ?)`);
  for (const plan of plans) insert.run(BigInt(plan.index), plan.name, layoutOf(plan));
  if (hasTable(db, "sqlite_sequence")) db.exec(`insert into ${COUNTERS} select rowid, name, seq from sqlite_sequence`);
}

/** The tables in the order of their numbers; `undefined`: this installation keeps nothing, since the store was not borrowed. */
export function recordedTables(db: Database): RecordedTable[] | undefined {
  if (!hasTable(db, TABLES)) return undefined;
  return db
    .prepare<[], RecordedTable>(`select cast(name as text) as name, cast(layout as text) as layout from ${TABLES} order by idx`)
    .all();
}

/** Rows of `sqlite_sequence` as they were: rowid, table, value. */
export function keptCounters(db: Database): readonly ExactRow[] {
  return db.prepare<[], ExactValue[]>(`select at, name, seq from ${COUNTERS} order by at`).raw().safeIntegers().all();
}

/** All rows that are kept. `tables`: in the order of their numbers. */
export function keptRows(db: Database, tables: readonly TableIo[]): KeptRow[] {
  const rows: KeptRow[] = [];
  const bytes = (at: number, seq: ExactValue): Uint8Array =>
    db.prepare<[ExactValue], Uint8Array>(`select cast(c${at} as blob) from ${KEPT} where seq = ?`).pluck().get(seq) as Uint8Array;
  for (const entry of db.prepare<[], ExactValue[]>(`select * from ${KEPT} order by seq`).raw().safeIntegers().all()) {
    const code = Number(entry[1]);
    const io = tables[code >> 1];
    if (io === undefined) continue;
    const image = exactRow(entry.slice(2, 2 + io.plan.stored.length), 0, (at) => bytes(at, entry[0] as ExactValue));
    rows.push({ table: code >> 1, key: io.key(image), image: (code & 1) === 1 ? null : image });
  }
  return rows;
}

/**
 * Keeps in a borrowed file what every row was when the file was opened, before the log that knows it is emptied: the file alone then
 * says what to go back to. A row is noted once; those that are again what they were are forgotten when there are many.
 */
export class Keeper {
  readonly #db: Database;
  readonly #inserts = new Map<string, Statement>();
  #rows: Map<RowKey, KeptRow>[];
  #count: number;
  /** Known, and not in the file yet. */
  #pending: KeptRow[] = [];
  #pruned: { readonly rows: Map<RowKey, KeptRow>[]; readonly count: number } | undefined;
  #pruneFrom: number;

  /** `previous`: of the same installation, its connection closed. */
  constructor(db: Database, tables: number, previous?: Keeper, pruneFrom: number = PRUNE_FROM) {
    this.#db = db;
    this.#rows = previous === undefined ? Array.from({ length: tables }, () => new Map<RowKey, KeptRow>()) : previous.#rows;
    this.#count = previous === undefined ? 0 : previous.#count;
    this.#pending = previous === undefined ? [] : previous.#pending;
    this.#pruneFrom = previous === undefined ? pruneFrom : previous.#pruneFrom;
  }

  /** A row that changes now for the first time since the file was opened was until now what it was then. */
  note(table: number, rowKey: RowKey, key: ExactRow, image: ExactRow | null): void {
    const rows = this.#rows[table] as Map<RowKey, KeptRow>;
    if (rows.has(rowKey)) return;
    const row = { table, key, image };
    rows.set(rowKey, row);
    this.#count++;
    this.#pending.push(row);
  }

  /** Writes what is not in the file yet, in the transaction that empties the log, after rows were changed. */
  write(tables: readonly TableIo[]): void {
    this.#pruned = undefined;
    if (this.#count > this.#pruneFrom) {
      this.#prune(tables);
      return;
    }
    for (const row of this.#pending) this.#insert(row, tables);
  }

  /** That transaction is committed. */
  written(): void {
    this.#pending = [];
    if (this.#pruned === undefined) return;
    this.#rows = this.#pruned.rows;
    this.#count = this.#pruned.count;
    this.#pruneFrom = Math.max(this.#pruneFrom, 2 * this.#count);
    this.#pruned = undefined;
  }

  #prune(tables: readonly TableIo[]): void {
    this.#db.exec(`delete from ${KEPT}`);
    const rows = this.#rows.map(() => new Map<RowKey, KeptRow>());
    let count = 0;
    for (const [table, kept] of this.#rows.entries()) {
      for (const [rowKey, row] of kept) {
        if (sameRow((tables[table] as TableIo).read(row.key), row.image)) continue;
        (rows[table] as Map<RowKey, KeptRow>).set(rowKey, row);
        count++;
        this.#insert(row, tables);
      }
    }
    this.#pruned = { rows, count };
  }

  #insert({ table, key, image }: KeptRow, tables: readonly TableIo[]): void {
    const { plan } = tables[table] as TableIo;
    const at = image === null ? plan.keyAt : image.map((_, i) => i);
    const values = image ?? key;
    const slots = values.map((value) => (isRawText(value) ? "cast(? as text)" : "?"));
    const sql = `insert into ${KEPT}(code, ${at.map((i) => `c${i}`).join(", ")}) values(?, ${slots.join(", ")})`;
    let statement = this.#inserts.get(sql);
    if (statement === undefined) this.#inserts.set(sql, (statement = this.#db.prepare(sql)));
    statement.run(BigInt(table * 2 + (image === null ? 1 : 0)), ...bindable(values));
  }
}
