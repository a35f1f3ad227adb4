import type { Database, Statement } from "better-sqlite3";
import { SeqqaError } from "../../../model/errors.ts";
import {
  LIMIT_ROWS,
  type Awaitable,
  type KeptCounters,
  type Observed,
  type StoreScope,
  type StoreTraits,
} from "../../../model/stores/store-adapter.ts";
import { AskedSince, ForeignWrite, keptAtEnd } from "../../../stores/external/external-store.ts";
import { writeKept } from "../../../stores/external/kept-file.ts";
import { markInvalid } from "../../../stores/connect/store-errors.ts";
import {
  allCounters,
  attempt,
  captureNet,
  isNetSnapshot,
  lastly,
  MOST_ROWS,
  NetMirror,
  observeNet,
  sameRow,
  shownRow,
  type ExactRow,
  type NetSnapshot,
  type Segment,
  type TableShape,
  type Touch,
} from "../../../stores/index.ts";
import { SqliteFaults } from "../faults/sqlite-faults.ts";
import { blind } from "./blind.ts";
import { BUSY_LIMIT_MS, busyError, isBusy, notPutBack, partlyPutBack, schemaChanged } from "../connect/failures.ts";
import { install, isInstalled } from "./install.ts";
import { Lease } from "./kept-rows.ts";
import type { SqliteMode } from "../connect/mode.ts";
import { raiseCounters, readUnrestored } from "./counters.ts";
import { forgetVacuum, newToken, release, wasVacuumed } from "./owner.ts";
import { putBackKept } from "./put-back-kept.ts";
import { schemaDifference, schemaText } from "../connect/schema-text.ts";
import { rowImage, shownKey } from "../read/shown-row.ts";
import type { TablePlan } from "./table-plan.ts";
import { UndoLog } from "./undo-log.ts";

/** Thrown to roll a transaction back and execute it again, because triggers fired or the schema version changed. */
class LookAgain extends Error {}

interface Work<T> {
  readonly result: T;
  /** Called after the transaction was committed. Present only if the transaction itself emptied the undo log and recorded all changes. */
  readonly committed?: () => void;
}

export interface JournalOptions {
  /** The mode of this store before the target restarted. */
  readonly previous?: JournalMode | undefined;
  /** `true` if the file is external. The original values of changed rows are saved in the file, and `close` restores them. */
  readonly borrowed?: boolean;
  /** Returns how many requests the run has sent to the target, or `undefined` while a request is in progress. */
  readonly asked?: (() => number | undefined) | undefined;
  /** Called with the rows of an external file that were written while the run had a request in progress. */
  readonly wrote?: StoreScope["wrote"];
  /** `true` if the external file is opened only to detect writes of other clients. Default: `false`. */
  readonly watching?: boolean | undefined;
  /** `true` if the run makes writes of the target fail. Default: `false`. */
  readonly faulty?: boolean | undefined;
  /** The tables whose AUTOINCREMENT counters restores leave as they are. Default: none. */
  readonly unrestored?: readonly string[] | undefined;
  /** The longest time to wait for a lock, in milliseconds. Default: 5000. */
  readonly limitMs?: number;
}

/**
 * Restores the file by undoing the changes that other connections committed. Row triggers write these changes to an undo log in the file itself.
 *
 * `PRAGMA data_version` changes when another connection commits, so the undo log is read only after such a change. Checkpoints and restores take the
 * write lock and therefore wait for open write transactions of the target. A checkpoint inside such a transaction would not include its rows, and a
 * later restore would undo them.
 */
export class JournalMode implements SqliteMode {
  readonly traits: StoreTraits;
  readonly db: Database;
  readonly faults: SqliteFaults | undefined;
  readonly #file: string;
  readonly #log: UndoLog;
  readonly #shapes: readonly TableShape[];
  readonly #schema: ReadonlyMap<string, string>;
  readonly #dataVersion: Statement<[], number>;
  readonly #schemaVersion: Statement<[], number>;
  readonly #beginRead: Statement<[]>;
  readonly #beginWrite: Statement<[]>;
  readonly #commit: Statement<[]>;
  readonly #rollback: Statement<[]>;
  readonly #limitMs: number;
  readonly #borrowed: boolean;
  readonly #watching: boolean;
  readonly #asked: AskedSince;
  readonly #wrote: StoreScope["wrote"];
  /** The lease of an external file; `undefined` for a lane's file. While the lease is valid, no other run can use the file. */
  readonly #lease: Lease | undefined;
  /** The tables whose counters restores leave as they are. */
  readonly #unrestored: readonly string[];
  /** The counters of {@link #unrestored} in the root state. */
  #rootCounters: readonly ExactRow[] = [];
  /** The id of this run's journal tables and triggers in the file. */
  readonly token: string;
  #knownData = -1;
  #knownSchema = -1;
  /** `false` if VACUUM, which changes the schema version, may have been executed since the row ids were last checked. */
  #rowIdsKnown = false;
  /** The error that all later operations throw. Set after another client wrote to the file or another run took over the file; `undefined` before. */
  #broken: SeqqaError | undefined;

  /**
   * Installs the journal. With `previous`, continues the journal from before a restart of the target, unless the target changed the schema.
   * Checkpoints then stay valid, and the target's writes during start-up are ordinary changes.
   *
   * @throws SqliteError if the file is locked or the schema cannot be journalled
   */
  constructor(db: Database, file: string, plans: readonly TablePlan[], options: JournalOptions = {}) {
    const { previous } = options;
    this.db = db;
    this.#file = file;
    this.#limitMs = options.limitMs ?? BUSY_LIMIT_MS;
    this.#shapes = plans;
    const { borrowed = false, unrestored = [] } = options;
    this.traits = { portable: true, commits: true, canLeaveCounters: !borrowed };
    this.#unrestored = unrestored;
    this.#borrowed = borrowed;
    this.#watching = options.watching === true;
    this.#wrote = options.wrote;
    const wasInstalled = previous !== undefined && isInstalled(db, previous.token);
    const difference = wasInstalled ? schemaDifference(previous.#schema, schemaText(db)) : undefined;
    // Throw if the schema of an external file changed: installing the journal again would discard the original rows that are saved in the file.
    if (borrowed && difference !== undefined) throw schemaChanged(file, difference);
    const faulty = options.faulty === true;
    const continues = wasInstalled && difference === undefined && (previous.faults !== undefined) === faulty;
    // A target that was restarted may have written while the file was closed.
    this.#asked = new AskedSince(options.asked, !continues);
    this.token = continues ? previous.token : newToken();
    if (!continues) install(db, { file, plans, token: this.token, borrowed, faulty });
    this.#schema = schemaText(db);
    this.#dataVersion = db.prepare<[], number>("pragma data_version").pluck();
    this.#schemaVersion = db.prepare<[], number>("pragma schema_version").pluck();
    this.#beginRead = db.prepare("begin");
    this.#beginWrite = db.prepare("begin immediate");
    this.#commit = db.prepare("commit");
    this.#rollback = db.prepare("rollback");
    blind(db);
    if (faulty) this.faults = new SqliteFaults(db, file, plans);
    this.#log = new UndoLog(db, file, plans, { previous: continues ? previous.#log : undefined, keeps: borrowed, unrestored });
    if (this.#log.tables.some((table) => table.explain().includes("Program"))) {
      throw new SeqqaError("JOURNAL_HINDERED", "seqqa cannot disable its triggers during a restore");
    }
    if (borrowed) this.#lease = new Lease(db, this.token);
  }

  root(): Awaitable<Observed> {
    return this.#inTransaction(this.#beginWrite, () => {
      const rows = new Map(this.#log.tables.filter(({ plan }) => plan.observed).map((io) => [io, io.all()]));
      const tables = [...rows]
        .map(([{ plan }, all]) => ({ name: plan.name, columns: plan.columns, added: all.map((row) => shownRow(plan, row)), removed: [] }))
        .filter((table) => table.added.length > 0);
      this.#log.rooted(rows);
      this.#log.clear();
      const counters = this.#log.counters();
      this.#rootCounters = readUnrestored(this.db, this.#unrestored);
      return {
        result: { kind: "rows", tables, counters: allCounters(counters) },
        committed: () => this.#log.emptied(new NetMirror(this.#shapes.length, counters)),
      };
    });
  }

  mark(): Awaitable<Segment> {
    return this.#inTransaction(this.#beginWrite, () => ({ result: this.#log.mirror.top }));
  }

  position(): Awaitable<Segment> {
    return this.#upToDate(() => this.#log.mirror.top);
  }

  changed(mark: unknown): Awaitable<boolean> {
    return this.#upToDate(() => this.#log.mirror.top !== mark);
  }

  observe(): Awaitable<Observed> {
    return this.#upToDate(() => observeNet(this.#shapes, this.#log.mirror));
  }

  capture(): Awaitable<NetSnapshot> {
    return this.#upToDate(() => this.#withReached(captureNet(this.#shapes, this.#log.mirror)));
  }

  captureWhole(): Awaitable<NetSnapshot | undefined> {
    if (this.#borrowed) return undefined;
    return this.#inTransaction(this.#beginWrite, () => {
      const whole = this.#withReached(this.#log.whole());
      return { result: whole.tables.reduce((sum, { rows }) => sum + rows.length, 0) > MOST_ROWS ? undefined : whole };
    });
  }

  restore(mark: unknown): Awaitable<void> {
    const segment = mark as Segment;
    return this.#inTransaction(this.#beginWrite, () => {
      const { mirror } = this.#log;
      if (!mirror.holds(segment)) throw markInvalid();
      if (mirror.top === segment) return { result: undefined };
      this.#apply(mirror.fixesTo(segment), mirror.countersAt(segment));
      return {
        result: undefined,
        committed: () => {
          mirror.popTo(segment);
          this.#log.emptied();
        },
      };
    });
  }

  write(image: unknown): Awaitable<void> {
    if (!isNetSnapshot(image))
      throw new TypeError('SqliteAdapter.write() got a value that does not come from capture() of a store with checkpoint "journal".');
    return this.#inTransaction(this.#beginWrite, () => {
      const { mirror } = this.#log;
      const fixes = this.#log.fixesToImage(image);
      this.#apply(
        fixes.filter(({ slot, wanted }) => !sameRow(slot.now, wanted)),
        image.counters,
      );
      raiseCounters(this.db, image.reached ?? []);
      return {
        result: undefined,
        committed: () => {
          mirror.popTo(mirror.bottom);
          mirror.push(
            fixes.map(({ slot, wanted }) => ({ table: slot.table, key: slot.key, before: slot.base, now: wanted })),
            image.counters,
          );
          this.#log.emptied();
        },
      };
    });
  }

  get keptCounters(): KeptCounters | undefined {
    if (this.#unrestored.length === 0) return undefined;
    const restore = async (): Promise<boolean> => {
      await this.#inTransaction(this.#beginWrite, () => {
        for (const name of this.#unrestored) this.db.prepare("delete from sqlite_sequence where name = ?").run(name);
        raiseCounters(this.db, this.#rootCounters);
        return { result: undefined };
      });
      return true;
    };
    return { tables: this.#unrestored, remedy: LIMIT_ROWS, restore };
  }

  #withReached(image: NetSnapshot): NetSnapshot {
    return this.#unrestored.length === 0 ? image : { ...image, reached: readUnrestored(this.db, this.#unrestored) };
  }

  close(leaveNothing: boolean): Awaitable<void> {
    this.#lease?.stop();
    if (!leaveNothing) {
      this.db.close();
      return;
    }
    const { db } = this;
    return lastly(
      () => attempt(() => this.#leave(), isBusy, this.#limitMs, busyError(this.#file, this.#limitMs)),
      () => {
        db.close();
        // The restore may have failed. Release the file anyway, so that the next `open` in this thread can try again.
        release(this.token);
      },
    );
  }

  /** Restores an external file to its original content. Rows that other clients changed are kept and reported. */
  #leave(): void {
    if (this.#broken?.code === "LEASE_OVER") throw this.#broken;
    const isRecorded = this.#broken !== undefined || this.#recordLast();
    // If the target has dropped a table, the last writes of the run could not be recorded.
    const leftover = putBackKept(this.db, this.#file, this.token, { recordsRest: !isRecorded && !this.#asked.isQuiet });
    if (leftover.keep.length > 0 && !this.#watching) throw keptAtEnd(leftover.store, leftover.keep, writeKept(leftover), leftover.unlogged);
    if (this.#broken?.code === "CLOCK_DIFFERS") throw this.#broken;
    if (leftover.unlogged !== undefined) throw partlyPutBack(this.#file, leftover.unlogged);
  }

  /**
   * Records the last writes of the target before the final restore. Does not check the schema: new tables do no harm, and the restore itself detects
   * altered tables. Returns `false` if an altered table cannot be read, so that nothing was recorded.
   */
  #recordLast(): boolean {
    blind(this.db);
    this.#beginWrite.run();
    try {
      this.#requireLease();
      this.#log.sync((touches) => this.#judge(touches));
      this.#rowIdsKnown = false;
      this.#requireRowIds();
      this.#log.record();
      this.#commit.run();
      return true;
    } catch (error) {
      this.#rollback.run();
      if (isBusy(error) || this.#broken?.code === "LEASE_OVER") throw error;
      return error instanceof SeqqaError;
    }
  }

  /**
   * Checks that the lease is valid. Must be called inside a transaction, so that no other run can take over the file after the check. @throws
   * SeqqaError `LEASE_OVER`, `CLOCK_DIFFERS`
   */
  #requireLease(): void {
    const over = this.#lease?.problem(this.#file);
    if (over !== undefined) throw (this.#broken = over);
  }

  /**
   * Checks changes that were read from the undo log.
   * @throws SeqqaError `FOREIGN_WRITE` if this run has sent no request since the last read and has no request in progress, so that another client
   * made the changes
   */
  #judge(touches: readonly Touch[]): void {
    const { isQuiet } = this.#asked;
    if (!isQuiet && this.#wrote === undefined) return;
    const foreign = touches.filter(({ before, now }) => !sameRow(before, now));
    if (foreign.length === 0) return;
    const rows = foreign.map(({ table, before, now }) => {
      const { plan } = this.#log.tables[table]!;
      return { table: plan.name, key: shownKey(plan, (now ?? before)!), was: rowImage(plan, before), now: rowImage(plan, now) };
    });
    const store = `the SQLite file ${this.#file}`;
    if (isQuiet) throw (this.#broken = new ForeignWrite(store, rows));
    this.#wrote?.(store, rows);
  }

  #apply(fixes: Parameters<UndoLog["apply"]>[0], counters: Parameters<UndoLog["apply"]>[1]): void {
    let quiet: boolean;
    try {
      quiet = this.#log.apply(fixes, counters);
    } catch (error) {
      throw isBusy(error) ? error : notPutBack(this.#file, error);
    }
    if (!quiet) throw new LookAgain();
  }

  /** Reads the undo log if another connection has committed since the last read, then calls `answer`. `answer` uses only data in memory. */
  #upToDate<T>(answer: () => T): Awaitable<T> {
    return attempt(
      () => {
        if (this.#broken !== undefined) throw this.#broken;
        // Changes that are found in an external file must be recorded in this file, which needs a write transaction.
        const begin = this.#borrowed ? this.#beginWrite : this.#beginRead;
        if (this.#dataVersion.get() !== this.#knownData) this.#once(begin, () => ({ result: undefined }));
        else this.#asked.looked();
        return answer();
      },
      isBusy,
      this.#limitMs,
      busyError(this.#file, this.#limitMs),
    );
  }

  #inTransaction<T>(begin: Statement<[]>, work: () => Work<T>): Awaitable<T> {
    return attempt(() => this.#once(begin, work), isBusy, this.#limitMs, busyError(this.#file, this.#limitMs));
  }

  #once<T>(begin: Statement<[]>, work: () => Work<T>): T {
    for (let tries = 1; ; tries++) {
      if (this.#broken !== undefined) throw this.#broken;
      begin.run();
      try {
        this.#requireLease();
        const data = this.#dataVersion.get() as number;
        if (data !== this.#knownData) {
          if (this.#schemaVersion.get() !== this.#knownSchema) throw new LookAgain();
          this.#log.sync((touches) => this.#judge(touches));
          this.#requireRowIds();
          this.#knownData = data;
        }
        const { result, committed } = work();
        const recorded = committed === undefined && this.#log.record();
        this.#commit.run();
        if (recorded) this.#log.emptied();
        committed?.();
        this.#asked.looked();
        return result;
      } catch (error) {
        if (this.db.inTransaction) this.#rollback.run();
        this.#log.rolledBack();
        if (!(error instanceof LookAgain) || tries > 3) throw error;
        this.#look();
      }
    }
  }

  /** Throws if VACUUM may have changed the row ids by which rows are restored. @throws SeqqaError `SCHEMA_CHANGED` */
  #requireRowIds(): void {
    if (this.#rowIdsKnown) return;
    if (wasVacuumed(this.db)) {
      const table = this.#log.renumbered();
      if (table !== undefined)
        throw (this.#broken = schemaChanged(this.#file, `VACUUM gave new row ids to table "${table}", which has no key and no index`));
      forgetVacuum(this.db);
    }
    this.#rowIdsKnown = true;
  }

  /**
   * Handles a new schema version. Throws if a table, view, trigger or unique index changed. Otherwise, hides the triggers from this connection again.
   */
  #look(): void {
    const difference = schemaDifference(this.#schema, schemaText(this.db));
    if (difference !== undefined) throw schemaChanged(this.#file, difference);
    blind(this.db);
    this.#knownSchema = this.#schemaVersion.get() as number;
    this.#rowIdsKnown = false;
    // Set an impossible data version, so that the next transaction reads the undo log again while it holds the lock.
    this.#knownData = -1;
  }
}
