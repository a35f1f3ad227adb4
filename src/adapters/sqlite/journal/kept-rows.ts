import type { Database, Statement } from "better-sqlite3";
import { isRawText, sameCounters, sameRow, type ExactRow, type ExactValue, type RowKey } from "../../../stores/index.ts";
import { LEASE_SECONDS } from "../../../stores/external-store.ts";
import { counterReader } from "./counters.ts";
import { hasTable } from "./owner.ts";
import { bindable, exactRow, type TableIo } from "./table-io.ts";
import type { TablePlan } from "./table-plan.ts";
import { LEASE, LOG, SECONDS } from "./triggers.ts";

const TABLES = "seqqa_tables";
const KEPT = "seqqa_kept";
const COUNTERS = "seqqa_counters";

/** A row of an external store that differs from its original values: the original, and the values that the run last recorded. `null`: no such row. */
export interface KeptRow {
  readonly table: number;
  readonly key: ExactRow;
  readonly root: ExactRow | null;
  readonly recorded: ExactRow | null;
}

/** A table as it is numbered in the log. It is stored in the file, so that another process can read the log. */
export interface RecordedTable {
  readonly name: string;
  /** The stored columns and the positions of key and ignored columns, as text for a comparison. */
  readonly layout: string;
}

/** Rows of `sqlite_sequence` (rowid, table, value): the original ones, and those that the run last recorded. */
export interface KeptCounters {
  readonly root: readonly ExactRow[];
  readonly recorded: readonly ExactRow[];
}

/** The times at which the run began and last recorded changes, in milliseconds since 1970. */
export interface KeptTimes {
  readonly sinceMs: number;
  readonly recordedMs: number;
}

export function layoutOf(plan: TablePlan): string {
  return JSON.stringify([plan.stored, plan.keyAt, plan.withoutRowid, plan.ignoredAt]);
}

export function ignoredIn(layout: string): readonly number[] {
  return (JSON.parse(layout) as readonly (readonly number[] | undefined)[])[3] ?? [];
}

/** Creates the tables that save the original state of the store, and the lease that the triggers check. Must run inside a transaction. */
export function installKept(db: Database, plans: readonly TablePlan[]): void {
  const width = Math.max(1, ...plans.map((plan) => plan.stored.length));
  const columns = (letter: string): string => Array.from({ length: width }, (_, i) => `${letter}${i}`).join(", ");
  db.exec(`create table ${KEPT}(seq integer primary key, code, ${columns("r")}, ${columns("l")});
    create table ${TABLES}(idx integer primary key, name text, layout text);
    create table ${COUNTERS}(recorded, at, name, seq);
    create table ${LEASE}(until integer, since integer, recorded integer);
    insert into ${LEASE} values(${SECONDS} + ${LEASE_SECONDS}, ${Date.now()}, ${Date.now()})`);
  const insert = db.prepare(`insert into ${TABLES} values(?, ?, ?)`);
  for (const plan of plans) insert.run(BigInt(plan.index), plan.name, layoutOf(plan));
  const count = db.prepare(`insert into ${COUNTERS} values(?, ?, ?, ?)`);
  for (const row of counterReader(db).all()) for (const recorded of [0n, 1n]) count.run(recorded, ...bindable(row));
}

/** Returns the tables in the order of their numbers; `undefined` if the store is not external, so that the installation saves no rows. */
export function recordedTables(db: Database): RecordedTable[] | undefined {
  if (!hasTable(db, TABLES)) return undefined;
  return db
    .prepare<[], RecordedTable>(`select cast(name as text) as name, cast(layout as text) as layout from ${TABLES} order by idx`)
    .all();
}

export function keptCounters(db: Database): KeptCounters {
  const read = db
    .prepare<[bigint], ExactValue[]>(`select at, name, seq from ${COUNTERS} where recorded = ? order by at`)
    .raw()
    .safeIntegers();
  return { root: read.all(0n), recorded: read.all(1n) };
}

export function keptTimes(db: Database): KeptTimes {
  const row = db.prepare<[], Record<string, unknown>>(`select since, recorded from ${LEASE}`).get() ?? {};
  const number = (value: unknown): number => (typeof value === "number" ? value : 0);
  return { sinceMs: number(row["since"]), recordedMs: number(row["recorded"]) };
}

/** Returns all saved rows. `tables` must be in the order of their numbers. */
export function keptRows(db: Database, tables: readonly TableIo[]): KeptRow[] {
  const rows: KeptRow[] = [];
  const width = (db.prepare(`select * from ${KEPT}`).columns().length - 2) / 2;
  const bytes = (column: string, seq: ExactValue): Uint8Array =>
    db.prepare<[ExactValue], Uint8Array>(`select cast(${column} as blob) from ${KEPT} where seq = ?`).pluck().get(seq) as Uint8Array;
  for (const entry of db.prepare<[], ExactValue[]>(`select * from ${KEPT} order by seq`).raw().safeIntegers().all()) {
    const [seq, code] = [entry[0] as ExactValue, Number(entry[1])];
    const io = tables[code >> 2];
    if (io === undefined) continue;
    const image = (letter: "r" | "l"): ExactRow => {
      const from = letter === "r" ? 2 : 2 + width;
      return exactRow(entry.slice(from, from + io.plan.stored.length), 0, (at) => bytes(`${letter}${at}`, seq));
    };
    const root = (code & ROOTLESS) === 0 ? image("r") : null;
    const recorded = (code & UNRECORDED) === 0 ? image("l") : null;
    rows.push({ table: code >> 2, key: io.key((root ?? recorded)!), root, recorded });
  }
  return rows;
}

/** Deletes all saved rows and log entries, and ends the lease. Afterwards nothing can be restored. */
export function emptyKept(db: Database): void {
  for (const table of [LOG, KEPT, COUNTERS]) db.exec(`delete from ${table}`);
  db.exec(`update ${LEASE} set until = 0`);
}

/** Bits of the column `code`: the original row, or the recorded row, does not exist. */
const ROOTLESS = 1;
const UNRECORDED = 2;

interface Known {
  readonly table: number;
  readonly key: RowKey;
  readonly root: ExactRow | null;
  recorded: ExactRow | null;
  /** The row's `seq` in the file; `undefined` if the file does not contain the row. */
  seq: bigint | undefined;
}

/**
 * Saves, in an external file, the original and the last recorded values of every row where the two differ. Another process can then read from the
 * file alone what to restore, and which rows other clients have changed since.
 */
export class Keeper {
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();
  readonly #rows: Map<RowKey, Known>[];
  readonly #pending: Set<Known>;
  /** For rows that the current transaction changes: the recorded values from before the transaction. */
  readonly #fixed = new Map<Known, ExactRow | null>();
  /** For rows that the current transaction writes: the `seq` in the file. */
  readonly #seqs = new Map<Known, bigint | undefined>();
  #counters: readonly ExactRow[] | undefined;
  #pendingCounters: readonly ExactRow[] | undefined;

  /** `previous`: the keeper of the same installation, whose connection is closed. */
  constructor(db: Database, tables: number, previous?: Keeper) {
    this.#db = db;
    this.#rows = previous === undefined ? Array.from({ length: tables }, () => new Map<RowKey, Known>()) : previous.#rows;
    this.#pending = previous === undefined ? new Set() : previous.#pending;
    this.#counters = previous === undefined ? undefined : previous.#counters;
    this.#pendingCounters = previous === undefined ? undefined : previous.#pendingCounters;
  }

  /** Records from the log that the target changed a row from `before` to `now`. */
  logged(table: number, key: RowKey, before: ExactRow | null, now: ExactRow | null): void {
    this.#row(table, key, before).recorded = now;
  }

  /** Records that the current transaction changes a row to `wanted`. */
  fixing(table: number, key: RowKey, before: ExactRow | null, wanted: ExactRow | null): void {
    const row = this.#row(table, key, before);
    if (!this.#fixed.has(row)) this.#fixed.set(row, row.recorded);
    row.recorded = wanted;
  }

  #row(table: number, key: RowKey, before: ExactRow | null): Known {
    const rows = this.#rows[table] as Map<RowKey, Known>;
    let row = rows.get(key);
    if (row === undefined) rows.set(key, (row = { table, key, root: before, recorded: before, seq: undefined }));
    this.#pending.add(row);
    return row;
  }

  /** Returns `true` if some changes are not yet written to the file. */
  isBehind(counters: readonly ExactRow[]): boolean {
    return this.#pending.size > 0 || this.#counters === undefined || !sameCounters(counters, this.#counters);
  }

  /** Writes the pending changes to the file, in the current transaction. `counters`: the counters' values in that transaction. */
  write(tables: readonly TableIo[], counters: readonly ExactRow[]): void {
    const counted = this.#counters === undefined || !sameCounters(counters, this.#counters);
    if (!this.isBehind(counters)) return;
    for (const row of this.#pending) this.#put(row, tables[row.table] as TableIo);
    if (counted) {
      this.#prepare(`delete from ${COUNTERS} where recorded = 1`).run();
      const insert = this.#prepare(`insert into ${COUNTERS} values(1, ?, ?, ?)`);
      for (const row of counters) insert.run(...bindable(row));
    }
    this.#pendingCounters = counters;
    this.#prepare(`update ${LEASE} set recorded = ?`).run(BigInt(Date.now()));
  }

  /** Must be called after the transaction was committed. */
  written(): void {
    for (const row of this.#pending) {
      row.seq = this.#seqs.get(row);
      if (sameRow(row.root, row.recorded)) (this.#rows[row.table] as Map<RowKey, Known>).delete(row.key);
    }
    this.#pending.clear();
    this.#fixed.clear();
    this.#seqs.clear();
    this.#counters = this.#pendingCounters ?? this.#counters;
    this.#pendingCounters = undefined;
  }

  /** Must be called after the transaction was rolled back. Changes from the log then remain pending. */
  rolledBack(): void {
    for (const [row, recorded] of this.#fixed) row.recorded = recorded;
    this.#fixed.clear();
    this.#seqs.clear();
    this.#pendingCounters = undefined;
  }

  #put(row: Known, { plan }: TableIo): void {
    if (row.seq !== undefined) this.#prepare(`delete from ${KEPT} where seq = ?`).run(row.seq);
    const { root, recorded } = row;
    if (sameRow(root, recorded)) return;
    const code = plan.index * 4 + (root === null ? ROOTLESS : 0) + (recorded === null ? UNRECORDED : 0);
    const images = [
      ["r", root],
      ["l", recorded],
    ] as const;
    const given = images.flatMap(([letter, image]) => (image ?? []).map((value, i) => [`${letter}${i}`, value] as const));
    const slots = given.map(([, value]) => (isRawText(value) ? "cast(? as text)" : "?"));
    const sql = `insert into ${KEPT}(code, ${given.map(([name]) => name).join(", ")}) values(?, ${slots.join(", ")})`;
    const { lastInsertRowid } = this.#prepare(sql).run(BigInt(code), ...bindable(given.map(([, value]) => value)));
    this.#seqs.set(row, BigInt(lastInsertRowid));
  }

  #prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }
}
