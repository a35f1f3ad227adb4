import type { Database, Statement } from "better-sqlite3";
import { isRawText, sameCounters, sameRow, type ExactRow, type ExactValue, type RowKey } from "../../../stores/index.ts";
import type { SeqqaError } from "../../../model/errors.ts";
import { LEASE_SECONDS, leaseOver, RENEWAL_MS } from "../../../stores/external/external-store.ts";
import { clockDiffers, isBusy } from "../connect/failures.ts";
import { counterReader } from "./counters.ts";
import { HAS_TOKEN, hasTable } from "./owner.ts";
import { bindable, exactRow, type TableIo } from "./table-io.ts";
import type { TablePlan } from "./table-plan.ts";
import { LEASE, LOG, SECONDS } from "./triggers.ts";

const TABLES = "seqqa_tables";
const KEPT = "seqqa_kept";
const COUNTERS = "seqqa_counters";

/**
 * A row of an external store that the run changed: its original values (`root`), and its values when the run last recorded changes (`recorded`).
 * `null` if the row did not exist.
 */
export interface KeptRow {
  readonly table: number;
  readonly key: ExactRow;
  readonly root: ExactRow | null;
  readonly recorded: ExactRow | null;
}

/**
 * A journalled table. Its position in the list is its number in the undo log. The list is saved in the file, so that another process can read the
 * log.
 */
export interface RecordedTable {
  readonly name: string;
  /** The stored columns and the positions of key columns and ignored columns, as one text that is compared to detect changes. */
  readonly layout: string;
}

/** The original counters and the counters that the run last recorded, as rows of (number, name, value); see {@link counterReader}. */
export interface KeptCounters {
  readonly root: readonly ExactRow[];
  readonly recorded: readonly ExactRow[];
}

/** Times in milliseconds since 1970: when the run began, and when it last recorded changes. */
export interface KeptTimes {
  readonly sinceMs: number;
  readonly recordedMs: number;
}

export function layoutOf(plan: TablePlan): string {
  return JSON.stringify([plan.stored, plan.keyAt, plan.withoutRowid, plan.ignoredAt]);
}

/** Creates the tables for the original rows, counters and the lease of an external file. Must be called inside a transaction. */
export function installKept(db: Database, plans: readonly TablePlan[]): void {
  const width = Math.max(1, ...plans.map((plan) => plan.stored.length));
  const columns = (letter: string): string => Array.from({ length: width }, (_, i) => `${letter}${i}`).join(", ");
  db.exec(`create table ${KEPT}(seq integer primary key, code, ${columns("r")}, ${columns("l")});
    create table ${TABLES}(idx integer primary key, name text, layout text);
    create table ${COUNTERS}(recorded, at, name, seq);
    create table ${LEASE}(until integer, since integer, recorded integer, late integer);
    insert into ${LEASE} values(${SECONDS} + ${LEASE_SECONDS}, ${Date.now()}, ${Date.now()}, null)`);
  const insert = db.prepare(`insert into ${TABLES} values(?, ?, ?)`);
  for (const plan of plans) insert.run(BigInt(plan.index), plan.name, layoutOf(plan));
  const count = db.prepare(`insert into ${COUNTERS} values(?, ?, ?, ?)`);
  for (const row of counterReader(db).all()) for (const recorded of [0n, 1n]) count.run(recorded, ...bindable(row));
}

/** Returns the journalled tables in the order of their numbers, or `undefined` if the file is not external and therefore saves no rows. */
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

/** Returns all rows that are saved in the file. `tables` must be in the order of their numbers in the undo log. */
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

/** Deletes all saved rows and all entries of the undo log, and ends the lease. Nothing can be restored afterwards. */
export function emptyKept(db: Database): void {
  for (const table of [LOG, KEPT, COUNTERS]) db.exec(`delete from ${table}`);
  db.exec(`update ${LEASE} set until = 0`);
}

/**
 * Renews the lease of an external file. The triggers write to the undo log only while the lease is valid. If another run has taken over the file, the
 * file contains the token of that run, and its lease belongs to that run.
 */
export class Lease {
  readonly #check: Statement<[token: string], [holds: number, late: number | null]>;
  readonly #token: string;
  readonly #timer: NodeJS.Timeout;

  constructor(db: Database, token: string) {
    this.#token = token;
    const holds = `until > ${SECONDS} and ${HAS_TOKEN}`;
    this.#check = db.prepare<[string], [number, number | null]>(`select ${holds}, late from ${LEASE}`).raw();
    const renewal = db.prepare(`update ${LEASE} set until = ${SECONDS} + ${LEASE_SECONDS} where ${holds}`);
    const renew = (): void => {
      try {
        renewal.run(token);
      } catch {
        // The lease row is locked or missing. The next operation on the file reports the problem.
      }
    };
    this.#timer = setInterval(renew, RENEWAL_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Returns an error if the lease has expired or belongs to another run. Also returns an error if a program wrote to the file at a time when, by the
   * program's own clock, the lease had expired. Returns `undefined` otherwise.
   */
  problem(file: string): SeqqaError | undefined {
    let found: [number, number | null] | undefined;
    try {
      found = this.#check.get(this.#token);
    } catch (error) {
      if (isBusy(error)) throw error;
    }
    const [holds, late] = found ?? [0, null];
    if (holds !== 1) return leaseOver(`the SQLite file ${file}`);
    return late === null ? undefined : clockDiffers(file, late - Math.round(Date.now() / 1000));
  }
}

/**
 * Bits of the column `code`. `ROOTLESS`: the row did not exist originally. `UNRECORDED`: the row did not exist when the run last recorded changes.
 */
const ROOTLESS = 1;
const UNRECORDED = 2;

interface Known {
  readonly table: number;
  readonly key: RowKey;
  readonly root: ExactRow | null;
  recorded: ExactRow | null;
  /** The row's number (`seq`) in the table of saved rows. `undefined` if the row is not saved. */
  seq: bigint | undefined;
}

/**
 * Saves, in an external file, the original and the last recorded values of every row where the two differ. With these values alone, another process
 * knows what to restore and which rows other clients have changed since.
 */
export class Keeper {
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();
  readonly #rows: Map<RowKey, Known>[];
  readonly #pending: Set<Known>;
  /** For each row that a restore in the current transaction changes: the recorded values from before this transaction. */
  readonly #fixed = new Map<Known, ExactRow | null>();
  /** For each row that the current transaction saves: the row's new number (`seq`) in the table of saved rows. */
  readonly #seqs = new Map<Known, bigint | undefined>();
  #counters: readonly ExactRow[] | undefined;
  #pendingCounters: readonly ExactRow[] | undefined;

  /** @param previous The `Keeper` of the same journal, from before the connection was closed and opened again. */
  constructor(db: Database, tables: number, previous?: Keeper) {
    this.#db = db;
    this.#rows = previous === undefined ? Array.from({ length: tables }, () => new Map<RowKey, Known>()) : previous.#rows;
    this.#pending = previous === undefined ? new Set() : previous.#pending;
    this.#counters = previous === undefined ? undefined : previous.#counters;
    this.#pendingCounters = previous === undefined ? undefined : previous.#pendingCounters;
  }

  /** Notes that the target changed a row from `before` to `now`, according to the undo log. */
  logged(table: number, key: RowKey, before: ExactRow | null, now: ExactRow | null): void {
    this.#row(table, key, before).recorded = now;
  }

  /** Notes that a restore in the current transaction changes a row from `before` to `wanted`. */
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

  /** Returns `true` if some noted changes are not saved in the file yet, or if `counters` differ from the saved counters. */
  isBehind(counters: readonly ExactRow[]): boolean {
    return this.#pending.size > 0 || this.#counters === undefined || !sameCounters(counters, this.#counters);
  }

  /** Saves all noted changes in the file, in the current transaction. `counters`: the values of the counters in this transaction. */
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

  /** Notes that all changes are saved. Must be called after the transaction with {@link write} was committed. */
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

  /**
   * Forgets the changes that a restore made in a transaction. Must be called after this transaction was rolled back. Changes from the undo log are
   * not forgotten, because they must still be saved.
   */
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
