import { randomUUID } from "node:crypto";
import { SeqqaError } from "../../../model/errors.ts";
import type { KeptCounters, LastLook, NoGate, Observed, StoreScope, StoreTraits } from "../../../model/stores/store-adapter.ts";
import { leaseOver } from "../../../stores/external/external-store.ts";
import { MOST_ROWS, MultisetMirror, RowSums, type Segment } from "../../../stores/journal/multiset-mirror.ts";
import { UNGATED } from "../../../stores/delegating-adapter.ts";
import { markInvalid } from "../../../stores/connect/store-errors.ts";
import { OURS, type Catalog, type Table } from "../schema/catalog.ts";
import { keptCounters, putCounters, readCounters } from "../schema/counters.ts";
import { Writing, type Control, type Row } from "../connect/control.ts";
import { dumpDatabase } from "../read/dump.ts";
import { BUSY_LIMIT_MS, errnoOf, incoherent, isBusy, leftInstalled, notPutBack, schemaChanged } from "../connect/failures.ts";
import { sumsOf, tellingBy } from "./ignored-values.ts";
import { install, installedToken, uninstall } from "./install.ts";
import { JournalLog } from "./journal-log.ts";
import { keepCounts, keepTables } from "./journal-sql.ts";
import { Lease } from "./lease.ts";
import { Looker } from "../read/looker.ts";
import type { MysqlMode, QueryRow } from "../connect/mode.ts";
import { MysqlGate } from "../gate/mysql-gate.ts";
import { imageOf, isImage, rowsOfImage, type MultisetSnapshot } from "./multiset-snapshot.ts";
import { imagesOf, observeAll, observeNet } from "../read/observe.ts";
import { batches, putBackStatements, WRONG_COUNT } from "../put-back/put-back.ts";
import { Recorder } from "./recorder.ts";
import { leaveAsFound } from "./recover.ts";
import { RowCounts } from "./row-counts.ts";
import { SchemaWatch } from "../schema/schema-watch.ts";
import type { Selection } from "../read/selection.ts";

export interface JournalChoice {
  readonly selection: Selection;
  readonly borrowed: boolean;
  /** `true` if the gate can hold writes of the target. Default `false`. */
  readonly gated?: boolean | undefined;
  readonly previous?: JournalMode | undefined;
  /** The longest time to wait for open write transactions of other sessions, in milliseconds. Default 5000. */
  readonly limitMs?: number | undefined;
  /** Returns how many requests the run has sent to the target, or `undefined` while a request is in progress. */
  readonly asked?: (() => number | undefined) | undefined;
  /** Called with the rows of an external store that were written while the run had a request in progress. */
  readonly wrote?: StoreScope["wrote"];
  /** `true` if the external store is opened only to detect writes of other clients. Default `false`. */
  readonly watching?: boolean | undefined;
  /** The lease of an external store, in seconds. If the run sends no statement for longer, its triggers stop logging. Default 30. */
  readonly leaseSeconds?: number | undefined;
}

/** The journal's data that stays valid when the target restarts and the connection is opened again. */
interface Knowledge {
  readonly token: string;
  readonly tables: readonly Table[];
  readonly watch: SchemaWatch;
  /** Counts rows to detect TRUNCATE. `undefined` if `watch` detects TRUNCATE. */
  readonly counts: RowCounts | undefined;
  readonly log: JournalLog;
  mirror: MultisetMirror;
  /** The AUTO_INCREMENT values in the root state, keyed by table name. Only read for a lane's own store. */
  counters: ReadonlyMap<string, string>;
}

/**
 * The checkpoint mode `journal`, which undoes committed changes of other sessions. Row triggers write an undo log in the same transactions as the
 * target's changes. Reading the log takes one round trip to the server, and a restore takes another.
 */
export class JournalMode implements MysqlMode {
  readonly traits: StoreTraits = { portable: true, commits: true };
  readonly gate: MysqlGate | NoGate;
  readonly #control: Control;
  readonly #looker: Looker;
  readonly #selection: Selection;
  readonly #limitMs: number;
  readonly #watching: boolean;
  readonly keptCounters: KeptCounters | undefined;
  readonly #known: Knowledge;
  /** Records the run's changes in an external store. `undefined` for a lane's own store. */
  readonly #recorder: Recorder | undefined;
  readonly #lease: Lease | undefined;
  /**
   * The error after which this store can no longer be used, for example because its rows differ from the recorded changes. Every later operation
   * throws this error. `undefined` if there was no such error.
   */
  #broken: SeqqaError | undefined;

  private constructor(control: Control, known: Knowledge, choice: JournalChoice, lease?: Lease) {
    this.#control = control;
    this.#looker = new Looker(control.store);
    this.#selection = choice.selection;
    this.#limitMs = choice.limitMs ?? BUSY_LIMIT_MS;
    this.#watching = choice.watching === true;
    this.gate = choice.gated === true ? new MysqlGate(control, known.tables, this.#limitMs) : UNGATED;
    this.#known = known;
    if (choice.borrowed) this.#recorder = new Recorder(control, known.tables, choice, this.#limitMs);
    this.#lease = lease;
    this.keptCounters = keptCounters(known.tables, choice.borrowed, () => this.#restoreCounters());
  }

  /**
   * Installs the journal. After a restart of the target, continues with the existing journal if the schema is unchanged. Checkpoints then stay valid,
   * and the target's writes during start-up count as ordinary changes.
   */
  static async open(control: Control, catalog: Catalog, choice: JournalChoice): Promise<JournalMode> {
    const { previous } = choice;
    const before = previous === undefined ? undefined : previous.#known;
    const gated = choice.gated === true;
    const asBefore = (previous?.gate.kind === "gate") === gated;
    if (before !== undefined && asBefore && (await installedToken(control)) === before.token) {
      const altered = before.watch.difference(await control.rows(before.watch.sql)) ?? (await before.watch.altered(control, true));
      if (altered === undefined) {
        const known = { ...before, log: new JournalLog(control, before.tables, before.watch, before.log) };
        return new JournalMode(control, known, choice);
      }
    }
    const token = randomUUID();
    await uninstall(control);
    const lease = choice.borrowed ? await Lease.hold(control, choice.leaseSeconds) : undefined;
    try {
      await install(control, catalog, { token, borrowed: choice.borrowed, gated });
      const watch = await SchemaWatch.open(control);
      if (choice.borrowed) await control.rows(keepTables(watch));
      const { tables } = catalog;
      const counts = watch.seesTruncate ? undefined : new RowCounts(tables);
      await counts?.differing(control, new RowSums(), 0);
      if (choice.borrowed && counts?.known !== undefined) await control.rows(keepCounts(counts.known));
      const log = new JournalLog(control, tables, watch);
      const known = { token, tables, watch, counts, log, mirror: new MultisetMirror("", tellingBy(tables)), counters: new Map() };
      return new JournalMode(control, known, choice, lease);
    } catch (error) {
      lease?.stop();
      await uninstall(control).catch((cause: unknown) => {
        if (choice.borrowed && !control.lost) throw leftInstalled(control.store, error, cause);
      });
      throw error;
    }
  }

  root(): Promise<Observed> {
    return this.#alone(async () => {
      const { tables, mirror } = this.#known;
      const contents = await this.#contentsOf(tables.filter(this.#selection));
      this.#known.counts?.rooted(mirror.net);
      this.#known.mirror = new MultisetMirror("", tellingBy(tables));
      this.#recorder?.rooted(mirror.top.depth);
      if (this.keptCounters?.restore !== undefined) this.#known.counters = await readCounters(this.#control, tables);
      return observeAll(contents);
    });
  }

  /** Reads the undo log and all rows of tables. */
  async #contentsOf(tables: readonly Table[]): Promise<[Table, string[]][]> {
    const { mirror } = this.#known;
    for (;;) {
      await this.#read(true);
      const seen = mirror.top;
      const contents: [Table, string[]][] = [];
      await this.#control.snapshot(async () => {
        for (const table of tables) contents.push([table, await imagesOf(this.#control, table)]);
      });
      // The rows may lack a write that was committed during the read. Read again until the log shows no new write.
      await this.#read(true);
      if (mirror.top === seen) return contents;
    }
  }

  async #allRows(): Promise<RowSums> {
    const { tables } = this.#known;
    const all = sumsOf(tables);
    const contents = await this.#contentsOf(tables);
    for (const [index, [, rows]] of contents.entries()) for (const row of rows) all.add(index, row, 1);
    return all;
  }

  mark(): Promise<Segment> {
    return this.#alone(async () => {
      await this.#read(true);
      if (this.#known.log.tooLong) await this.#remove([...this.#known.log.present]);
      return this.#known.mirror.top;
    });
  }

  position(): Promise<Segment> {
    return this.#alone(async () => {
      await this.#read(false);
      return this.#known.mirror.top;
    });
  }

  changed(mark: unknown): Promise<boolean> {
    return this.#alone(async () => {
      await this.#read(false);
      return this.#known.mirror.top !== mark;
    });
  }

  observe(): Promise<Observed> {
    return this.#alone(async () => {
      await this.#read(false);
      return observeNet(this.#known.tables, this.#known.mirror.net, this.#selection);
    });
  }

  capture(): Promise<MultisetSnapshot> {
    return this.#alone(async () => {
      await this.#read(false);
      return imageOf(this.#known.tables, this.#known.mirror.net);
    });
  }

  captureWhole(): Promise<MultisetSnapshot | undefined> {
    if (this.#recorder !== undefined) return Promise.resolve(undefined);
    return this.#alone(async () => {
      // Count first, because the rows of a large store would fill the memory.
      let left = MOST_ROWS;
      for (const { sqlName } of this.#known.tables) {
        const [[count] = []] = await this.#control.rows(`select count(*) from (select 1 from ${sqlName} limit ${left + 1}) t`);
        if ((left -= Number(count)) < 0) return undefined;
      }
      return { ...imageOf(this.#known.tables, await this.#allRows()), isWhole: true };
    });
  }

  lastLook(): LastLook {
    const { tables, mirror } = this.#known;
    return {
      mark: mirror.top,
      observe: () => observeNet(tables, mirror.net, this.#selection),
      capture: () => imageOf(tables, mirror.net),
      restore: (mark) => this.#restore(mark as Segment, mirror.top),
    };
  }

  async restore(mark: unknown): Promise<void> {
    await this.#restore(mark as Segment);
  }

  /**
   * Sets the AUTO_INCREMENT values of the root state. Returns `false` if the store is busy. Ordinary restores leave these values unchanged, because
   * setting them waits for transactions of the target, and because ids that are equal after each restore could not be recognized as generated values.
   */
  #restoreCounters(): Promise<boolean> {
    return this.#alone(async () => {
      const { tables, watch, counters } = this.#known;
      await this.#read(true);
      try {
        const hasAltered = await putCounters(this.#control, tables, counters);
        // ALTER TABLE changes the creation times, by which the schema is watched if the database user lacks the PROCESS privilege.
        if (hasAltered && !watch.seesTruncate) await watch.take(this.#control);
        return true;
      } catch (error) {
        // ALTER TABLE also waits for transactions that only read, which a target may keep open for long.
        if (isBusy(error)) return false;
        throw error;
      }
    });
  }

  /** Restores a state. With `seen`, restores only if the store is still in the state `seen`, and otherwise returns `false`. */
  #restore(segment: Segment, seen?: Segment): Promise<boolean> {
    return this.#alone(async () => {
      const { mirror } = this.#known;
      if (!mirror.holds(segment)) throw markInvalid();
      // Usually no session has written since the last read. Restore without reading the undo log first, which saves a round trip.
      const from = mirror.top === seen && seen !== segment;
      if (from && (await this.#put(mirror.changesTo(segment), segment, { seen: true }))) return true;
      await this.#read(true);
      if (seen !== undefined && mirror.top !== seen) return false;
      if (mirror.top !== segment) await this.#put(mirror.changesTo(segment), segment);
      return true;
    });
  }

  write(image: unknown): Promise<void> {
    if (!isImage(image))
      throw new TypeError('MysqlAdapter.write() got a value that does not come from capture() of a database with checkpoint "journal".');
    return this.#alone(async () => {
      const { mirror } = this.#known;
      const wanted = rowsOfImage(this.#control.store, this.#known.tables, image);
      if (image.isWhole === true) {
        // A whole snapshot contains all rows. Subtract the rows of the root state: the present rows without the changes since the root state.
        for (const { table, row, by } of (await this.#allRows()).deltas()) wanted.add(table, row, -by);
        for (const { table, row, by } of mirror.net.deltas()) wanted.add(table, row, by);
      }
      const put = (seen: boolean): Promise<boolean> => {
        const changes = mirror.changesTo(mirror.bottom);
        for (const { table, row, by } of wanted.deltas()) changes.add(table, row, by);
        return this.#put(changes, mirror.bottom, { kept: wanted, seen });
      };
      if (await put(true)) return;
      await this.#read(true);
      await put(false);
    }, true);
  }

  query(sql: string, values: readonly unknown[]): Promise<QueryRow[]> {
    return this.#looker.query(sql, values);
  }

  dump(): Promise<string> {
    return this.#control.inTurn(() => dumpDatabase(this.#control, false));
  }

  async close(leaveNothing: boolean): Promise<void> {
    this.#lease?.stop();
    if (this.gate.kind === "gate") await this.gate.release();
    return this.#control.inTurn(async () => {
      await this.#looker.close();
      try {
        if (leaveNothing) await this.#leave();
      } catch (error) {
        throw this.#explained(error);
      } finally {
        await this.#control.close();
      }
    });
  }

  /**
   * Restores an external database to its content from before the run. Unrecorded log entries count as the run's own writes, unless another client was
   * found to write.
   */
  async #leave(): Promise<void> {
    if (this.#broken?.code === "LEASE_OVER") throw this.#broken;
    const isForeign = (): boolean => this.#broken?.code === "FOREIGN_WRITE" || this.#recorder?.isQuiet === true;
    const wasForeign = isForeign();
    const how = { recordsRest: () => !(wasForeign && isForeign()), limitMs: this.#limitMs };
    await leaveAsFound(this.#control, how, this.#watching);
  }

  async #read(apart: boolean): Promise<void> {
    const { log, counts, mirror } = this.#known;
    await this.#takeIn(this.#recorder?.isQuiet, () => log.read(apart));
    const lost = await counts?.differing(this.#control, mirror.net, log.present.length);
    if (lost !== undefined) throw (this.#broken = schemaChanged(this.#control.store, lost));
  }

  /**
   * Calls `reading` and adds the returned row changes to the known changes. In an external store, records the row changes first. `wasQuiet`: `true`
   * if the run had no request in progress and had sent no request since the previous read.
   */
  async #takeIn(wasQuiet: boolean | undefined, reading: () => Promise<RowSums>): Promise<void> {
    const { log, mirror } = this.#known;
    try {
      const sums = await reading();
      await this.#recorder?.record(sums, log, wasQuiet === true, mirror.top.depth);
      mirror.push(sums, "");
    } catch (error) {
      if (error instanceof SeqqaError && error.code !== "STORE_LOST") this.#broken = error;
      throw error;
    }
  }

  /**
   * Changes rows in one transaction, deletes the undone log entries, and reads entries that other sessions wrote in the meantime. With `seen`: if a
   * session has written or may have written since the last read, changes nothing and returns `false`.
   */
  async #put(changes: RowSums, to: Segment, { kept, seen = false }: { kept?: RowSums; seen?: boolean } = {}): Promise<boolean> {
    const { log, mirror, tables } = this.#known;
    const wasQuiet = this.#recorder?.isQuiet;
    const undone = [...log.present];
    const statements = [
      "start transaction",
      // With `seen`, empty the undo log first, while this transaction holds no other lock. The deletion waits for transactions of the target, which
      // may need locks of this transaction.
      ...(seen ? log.removalOfAll() : []),
      ...putBackStatements(tables, changes),
      ...(seen ? [] : log.removal(undone)),
      ...(this.#recorder?.restored(to.depth, kept) ?? []),
      "commit",
    ];
    const rows = await this.#change(statements, seen, kept !== undefined);
    if (rows === undefined) return false;
    if (seen) log.raise();
    log.forget(undone);
    mirror.popTo(to);
    if (kept !== undefined) mirror.push(kept, "");
    await this.#takeIn(wasQuiet, async () => log.take(rows, false));
    return true;
  }

  /**
   * Executes a transaction and returns the log entries that exist afterwards. If the transaction fails and `mayFail` is `true`, rolls back and
   * returns `undefined`. `isWrite`: a snapshot is written. It may not fit the root state of this lane, so the store can still be used afterwards.
   */
  async #change(statements: readonly string[], mayFail: boolean, isWrite: boolean): Promise<Row[] | undefined> {
    const parts = batches(statements);
    try {
      for (const part of parts.slice(0, -1)) await this.#control.rows(part.join(";\n"));
      return (await this.#control.batch([...parts.at(-1)!, this.#known.log.entries(false)])).at(-1)!;
    } catch (error) {
      if (!this.#control.lost) await this.#control.rows("rollback");
      if (isBusy(error) || error instanceof SeqqaError) throw error;
      if (mayFail) return undefined;
      // The transaction failed and changed nothing. The cause may be a write that was committed after the last read. The undo log now contains this
      // write.
      const before = this.#known.mirror.top;
      await this.#read(false);
      if (this.#known.mirror.top !== before) throw new Writing();
      if (errnoOf(error) === WRONG_COUNT) throw new Stale();
      const why = notPutBack(this.#control.store, error);
      if (!(isWrite && CONFLICTS.has(errnoOf(error)))) this.#broken = why;
      throw why;
    }
  }

  async #remove(entries: readonly bigint[]): Promise<void> {
    for (const sql of this.#known.log.removal(entries)) await this.#control.rows(sql);
    this.#known.log.forget(entries);
  }

  /** @param isWrite `true` if a snapshot is written. It may not fit the root state of this lane, so the store can still be used after a failure. */
  #alone<T>(work: () => Promise<T>, isWrite = false): Promise<T> {
    return this.#control.inTurn(async () => {
      for (let tries = 1; ; tries++) {
        if (this.#broken !== undefined) throw this.#broken;
        try {
          const result = await this.#control.patiently(work, this.#limitMs);
          this.#lease?.alive();
          return result;
        } catch (error) {
          if (!(error instanceof Stale)) throw this.#explained(error);
          if (tries <= 3) continue;
          const why = incoherent(this.#control.store, "seqqa must delete a row that does not exist");
          if (!isWrite) this.#broken = why;
          throw why;
        }
      }
    });
  }

  /**
   * Returns the error to throw for a failed operation. If the lease of an external store has ended, returns `LEASE_OVER`, which all later operations
   * also throw.
   */
  #explained(error: unknown): unknown {
    if (this.#lease === undefined) return error;
    const gone = errnoOf(error) === NO_TABLE && String((error as Error).message).includes(OURS);
    const why = gone ? leaseOver(`the database ${this.#control.store.shown}`) : this.#lease.explain(error);
    if (why instanceof SeqqaError && why.code === "LEASE_OVER") this.#broken = why;
    return why;
  }
}

const NO_TABLE = 1146;
/** Errors of violated constraints: a row that exists already, foreign keys, and checks. */
const CONFLICTS: ReadonlySet<number> = new Set([1062, 1451, 1452, 3819, 4025]);

/** Thrown if a row to delete does not exist. Another session may have changed the row after the undo log was read, so the operation is repeated. */
class Stale extends Error {}
