import type { Database, Statement } from "better-sqlite3";
import { SeqqaError } from "../../../model/errors.ts";
import {
  keyOf,
  NetMirror,
  sameCounters,
  sameRow,
  withValuesOf,
  type ExactRow,
  type ExactValue,
  type Fix,
  type NetSnapshot,
  type RowKey,
  type Touch,
} from "../../../stores/index.ts";
import { imageForeign } from "../../../stores/connect/store-errors.ts";
import { counterReader, putCounters } from "./counters.ts";
import { Keeper } from "./kept-rows.ts";
import { isRenumberable } from "./owner.ts";
import { exactRow, TableIo } from "./table-io.ts";
import type { TablePlan } from "./table-plan.ts";
import { LOG } from "./triggers.ts";

export interface UndoLogOptions {
  /** The undo log of an earlier connection to the same store. Reading continues where it stopped. */
  readonly previous?: UndoLog | undefined;
  /** `true` to save the original and the last recorded values of changed rows in the store, as needed for an external file. */
  readonly keeps?: boolean | undefined;
  /** The tables whose AUTOINCREMENT counters are neither observed nor restored. Default: none. */
  readonly unrestored?: readonly string[] | undefined;
}

/** A log entry of a row whose table cannot be read. `image`: the row as it was, or only its key if it did not exist (`existed: false`). */
export interface LostEntry {
  readonly io: TableIo;
  readonly image: ExactRow;
  readonly existed: boolean;
}

/**
 * Reads and empties the undo log of a store, and computes the changes from the root state. All methods must be called inside a transaction, which the
 * caller begins and ends. The log is a table of the file or a temporary table of the connection.
 */
export class UndoLog {
  readonly tables: readonly TableIo[];
  mirror: NetMirror;
  readonly #db: Database;
  readonly #file: string;
  readonly #tail: Statement<[bigint], ExactValue[]>;
  readonly #clear: Statement<[]>;
  readonly #counters: Statement<[], ExactValue[]>;
  readonly #keeper: Keeper | undefined;
  /** The tables whose rows had the row ids 1, 2, 3 and so on in the root state. `undefined` until the root state was read. */
  #gapless: ReadonlySet<number> | undefined;
  /** The indexes of the tables whose log entries the last {@link sync} read. */
  #touched: ReadonlySet<number> = new Set();
  readonly #lost: LostEntry[] = [];
  /** The number (`seq`) of the last log entry that was read. */
  #read = 0n;
  /** The number of log entries that were read since the undo log was last emptied. */
  #entries = 0;

  constructor(db: Database, file: string, plans: readonly TablePlan[], { previous, keeps = false, unrestored }: UndoLogOptions = {}) {
    this.#db = db;
    this.#file = file;
    this.tables = plans.map((plan) => new TableIo(db, plan));
    this.#tail = db.prepare<[bigint], ExactValue[]>(`select * from ${LOG} where seq > ? order by seq`).raw().safeIntegers();
    this.#clear = db.prepare(`delete from ${LOG}`);
    this.#counters = counterReader(db, unrestored);
    this.#keeper = keeps ? new Keeper(db, plans.length, previous === undefined ? undefined : previous.#keeper) : undefined;
    this.mirror = previous?.mirror ?? new NetMirror(plans.length, this.counters());
    this.#gapless = previous === undefined ? undefined : previous.#gapless;
    this.#read = previous === undefined ? 0n : previous.#read;
    this.#entries = previous === undefined ? 0 : previous.#entries;
  }

  /** The log entries of tables whose rows cannot be restored: the first entry of each row. */
  get lost(): readonly LostEntry[] {
    return this.#lost;
  }

  counters(): readonly ExactRow[] {
    return this.#counters.all();
  }

  /**
   * Reads the new entries of the undo log. First calls `judge` with the changes in these entries. If `judge` throws, the entries count as not read.
   */
  sync(judge?: (touches: readonly Touch[]) => void): void {
    const entries = this.#tail.all(this.#read);
    const counters = this.counters();
    const touches = entries.length === 0 ? [] : this.#touches(entries);
    judge?.(touches);
    // Call `judge` first: if it throws, these entries are read again later, and the keeper must get each change only once.
    if (this.#keeper !== undefined) for (const { table, key, before, now } of touches) this.#keeper.logged(table, key, before, now);
    this.#touched = new Set(touches.map(({ table }) => table));
    this.mirror.push(touches, sameCounters(counters, this.mirror.counters) ? this.mirror.counters : counters);
    if (entries.length > 0) this.#read = entries[entries.length - 1]?.[0] as bigint;
    this.#entries += entries.length;
  }

  /**
   * Records which tables have no gaps in their row ids. `rows` contains the rows of tables, sorted by key. Tables that are missing in `rows` count as
   * tables with gaps.
   */
  rooted(rows: ReadonlyMap<TableIo, readonly ExactRow[]>): void {
    const gapless = [...rows].filter(([, all]) => all.every((row, i) => row[0] === BigInt(i + 1)));
    this.#gapless = new Set(gapless.map(([{ plan }]) => plan.index));
  }

  /**
   * Returns the name of a table in which VACUUM may have changed the row ids of known rows, so that a restore would not find these rows. Returns
   * `undefined` if there is no such table. Must be called after the first {@link sync} since the VACUUM.
   */
  renumbered(): string | undefined {
    // Before the root state is read, a lane's own file has no known rows.
    if (this.#gapless === undefined && this.#keeper === undefined) return undefined;
    const moved = this.tables.find(
      (io) =>
        isRenumberable(this.#db, io.plan) &&
        (this.#gapless?.has(io.plan.index) !== true || this.#touched.has(io.plan.index) || this.#hasMoved(io)),
    );
    return moved?.plan.name;
  }

  #hasMoved(io: TableIo): boolean {
    return [...this.mirror.slotsOf(io.plan.index)].some(
      ({ key, now }) => !sameRow(withValuesOf(io.read([key]), now, io.plan.ignoredAt), now),
    );
  }

  #touches(entries: readonly ExactValue[][]): Touch[] {
    const touches: Touch[] = [];
    const seen = new Map<number, Set<RowKey>>();
    for (const entry of entries) {
      const code = Number(entry[1]);
      const io = this.tables[code >> 1];
      if (io === undefined) throw this.#incoherent("an unknown table");
      const { plan } = io;
      const image = exactRow(entry.slice(2, 2 + plan.stored.length), 0, (at) => this.#bytes(at, entry[0] as bigint));
      const key = keyOf(plan, image);
      let keys = seen.get(plan.index);
      if (keys === undefined) seen.set(plan.index, (keys = new Set()));
      // Only the first new log entry of a row contains the values from before all new changes. The present values are read from the table.
      if (keys.has(key)) continue;
      keys.add(key);
      if (plan.lost !== undefined) {
        this.#lost.push({ io, image, existed: (code & 1) === 0 });
        continue;
      }
      const slot = this.mirror.slot(plan.index, key);
      // Give ignored columns the values that they had when the row was first read, so that a change of only these columns does not count as a change.
      const known = slot?.now ?? slot?.base ?? null;
      const before = (code & 1) === 1 ? null : withValuesOf(image, known, plan.ignoredAt);
      if (slot !== undefined && !sameRow(slot.now, before)) throw this.#incoherent(`table "${plan.name}"`);
      touches.push({ table: plan.index, key, before, now: withValuesOf(io.read(io.key(image)), known ?? before, plan.ignoredAt) });
    }
    return touches;
  }

  #bytes(at: number, seq: bigint): Uint8Array {
    return this.#db.prepare<[bigint], Uint8Array>(`select cast(c${at} as blob) from ${LOG} where seq = ?`).pluck().get(seq) as Uint8Array;
  }

  #incoherent(where: string): SeqqaError {
    return new SeqqaError(
      "JOURNAL_INCOHERENT",
      `seqqa's log of changed rows does not match the rows of ${where} in the SQLite file ${this.#file}.`,
      {
        hint: 'A statement changed rows without firing triggers, so seqqa did not record the change. To prevent the error, set `checkpoint: "copy"` for this store.',
      },
    );
  }

  /**
   * Changes rows and counters, and then empties the undo log.
   *
   * @returns `true` on success; `false` if triggers fired during the changes, so that the caller must roll back
   */
  apply(fixes: readonly Fix[], counters: readonly ExactRow[]): boolean {
    if (this.#entries === 0 && fixes.length === 0) {
      this.#putCounters(counters);
      this.#keeper?.write(this.tables, this.counters());
      return true;
    }
    this.#change(fixes);
    this.#putCounters(counters);
    this.#keeper?.write(this.tables, this.counters());
    return this.#clear.run().changes === this.#entries;
  }

  /**
   * Saves all known changes in an external file and empties the undo log, so that the log contains only changes that the run has not recorded. The
   * caller must commit and then call {@link emptied}. Returns `false` if there is nothing to save.
   */
  record(): boolean {
    if (this.#keeper === undefined || (this.#entries === 0 && !this.#keeper.isBehind(this.mirror.counters))) return false;
    this.#keeper.write(this.tables, this.mirror.counters);
    this.#clear.run();
    return true;
  }

  /** Forgets the changes that a restore made in a transaction. Must be called after this transaction was rolled back. */
  rolledBack(): void {
    this.#keeper?.rolledBack();
  }

  #change(fixes: readonly Fix[]): void {
    const inserts: [TableIo, ExactRow][] = [];
    const updates: Fix[] = [];
    // Delete rows first and insert rows last, so that they cannot conflict with each other. Tables without unique constraints need only updates.
    for (const fix of fixes) {
      const io = this.tables[fix.slot.table] as TableIo;
      const { key, now } = fix.slot;
      this.#keeper?.fixing(io.plan.index, key, now, fix.wanted);
      if (now !== null && fix.wanted !== null && io.plan.uniques.length === 0) {
        updates.push(fix);
        continue;
      }
      const wanted =
        now === null || io.plan.ignoredAt.length === 0 ? fix.wanted : withValuesOf(fix.wanted, io.read(io.key(now)), io.plan.ignoredAt);
      if (now !== null) io.delete(now);
      if (wanted !== null) inserts.push([io, wanted]);
    }
    for (const { slot, wanted } of updates) (this.tables[slot.table] as TableIo).update(wanted as ExactRow);
    for (const [io, row] of inserts) io.insert(row);
  }

  get read(): bigint {
    return this.#read;
  }

  /**
   * Sets the number of the last log entry that was read to `read`. Must be called after a rollback that removed all log entries with higher numbers.
   */
  rewind(read: bigint): void {
    this.#read = read;
  }

  clear(): void {
    this.#keeper?.write(this.tables, this.counters());
    this.#clear.run();
  }

  /**
   * Notes that the log is empty. Must be called after the transaction that emptied the log was committed. `mirror`: the known changes from now on,
   * relative to the root state.
   */
  emptied(mirror: NetMirror = this.mirror): void {
    this.#keeper?.written();
    this.mirror = mirror;
    this.#read = 0n;
    this.#entries = 0;
  }

  #putCounters(wanted: readonly ExactRow[]): void {
    const now = this.counters();
    if (!sameCounters(now, wanted)) putCounters(this.#db, now, wanted);
  }

  /** Returns a snapshot with all rows. The log must be up to date. */
  whole(): NetSnapshot {
    const tables = this.tables.map((io) => ({ name: io.plan.name, rows: io.all(), gone: [] }));
    return { kind: "net", isWhole: true, tables, counters: this.mirror.counters };
  }

  /** Returns the row changes that lead from the current state to a snapshot. Each change also contains the row's values in the root state. */
  fixesToImage(image: NetSnapshot): Fix[] {
    const fixes: Fix[] = [];
    const wanted = new Map<string, NetSnapshot["tables"][number]>(image.tables.map((table) => [table.name, table]));
    for (const io of this.tables) {
      const { plan } = io;
      const table = wanted.get(plan.name);
      wanted.delete(plan.name);
      const met = new Set<RowKey>();
      const want = (key: ExactRow, row: ExactRow | null): void => {
        const rowKey = io.keyFrom(key);
        met.add(rowKey);
        const known = this.mirror.slot(plan.index, rowKey);
        const now = known === undefined ? io.read(key) : known.now;
        const wanted = withValuesOf(row, now ?? known?.base ?? null, plan.ignoredAt);
        fixes.push({ slot: known ?? { table: plan.index, key: rowKey, base: now, now }, wanted });
      };
      for (const row of table?.rows ?? []) {
        if (row.length !== plan.stored.length) throw foreign(plan.name);
        want(io.key(row), row);
      }
      const others = image.isWhole === true ? io.all().map((row) => io.key(row)) : (table?.gone ?? []);
      for (const key of others) if (!met.has(io.keyFrom(key))) want(key, null);
      for (const slot of this.mirror.slotsOf(plan.index))
        if (!met.has(slot.key)) fixes.push({ slot, wanted: image.isWhole === true ? null : slot.base });
    }
    for (const name of wanted.keys()) throw foreign(name);
    return fixes;
  }
}

function foreign(table: string): SeqqaError {
  return imageForeign({ shown: "this store" }, `table "${table}"`);
}
