import type { Connection } from "mysql2/promise";
import { SeqqaError } from "../../../model/errors.ts";
import type { KeptCounters, NoGate, Observed, StoreTraits } from "../../../model/stores/store-adapter.ts";
import { MultisetMirror, type Segment } from "../../../stores/journal/multiset-mirror.ts";
import { markInvalid } from "../../../stores/connect/store-errors.ts";
import type { Catalog, Table } from "../schema/catalog.ts";
import { keptCounters } from "../schema/counters.ts";
import type { Control, Queries, Row } from "../connect/control.ts";
import { dumpDatabase } from "../read/dump.ts";
import { BUSY_LIMIT_MS, busyError, isBusy, isLost, lostError } from "../connect/failures.ts";
import type { SharedConnectionCore } from "./shared-connection-core.ts";
import { queryError } from "../read/looker.ts";
import type { MysqlMode, QueryRow } from "../connect/mode.ts";
import { imagesOf, observeAll, observeNet } from "../read/observe.ts";
import { leaveAsFound } from "../journal/recover.ts";
import { notPortable, savepointLost } from "./savepoint-failures.ts";
import { SavepointInstall } from "./savepoint-install.ts";
import type { ChangeReader } from "./savepoint-readers.ts";
import { savepointAt, type TargetTransactions } from "./savepoint-transactions.ts";
import type { Selection } from "../read/selection.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/** A checkpoint: a state and the savepoint that restores it. */
interface Level {
  readonly segment: Segment;
  /** The number of the last log entry when this savepoint was made. A rollback to the savepoint removes all later entries. */
  readonly read: bigint;
  readonly depth: number;
}

export interface SavepointOptions {
  /** seqqa's own connection, which holds the lock of the database and creates the triggers. */
  readonly control: Control;
  readonly core: SharedConnectionCore;
  readonly borrowed: boolean;
  readonly catalog: Catalog;
  /** Selects the tables that belong to the state. The argument is the list of existing tables. */
  readonly selection: (tables: readonly Table[]) => Selection;
}

/**
 * The number of restores of the root state after which a new exploring transaction begins. The limit is a precaution against a growing transaction.
 */
const RENEW_AFTER = 2000;
const ROOT = savepointAt(0);

/**
 * The checkpoint mode `savepoint`, which makes nested savepoints on the connection of a target in this process. Nothing is committed during the
 * exploration, so a rollback undoes all changes. A rollback does not restore AUTO_INCREMENT, but seqqa renames generated ids before states are
 * compared.
 *
 * In a lane's own store, the exploring transaction begins at the root state, so that `setup` can still create tables. In an external store, the
 * exploring transaction begins when the store is opened.
 */
export class SavepointMode implements MysqlMode {
  readonly traits: StoreTraits = { portable: false, commits: false };
  readonly keptCounters: KeptCounters | undefined;
  readonly gate: NoGate = {
    kind: "none",
    why: 'with the checkpoint "savepoint", all statements share one connection and cannot overlap; races need `checkpoint: "journal"`',
  };
  readonly #options: SavepointOptions;
  readonly #core: SharedConnectionCore;
  readonly #shared: SharedQueries;
  #install: SavepointInstall;
  #selection: Selection;
  #mirror = new MultisetMirror("");
  #levels: Level[] = [];
  #begun = false;
  /**
   * `#synced`: the number of the target's requests at the last read of changes. `#clean`: the number of the target's requests when the newest
   * checkpoint was made or restored.
   */
  #synced = -1;
  #clean = -1;
  #putBack = 0;

  private constructor(options: SavepointOptions, shared: SharedQueries, install: SavepointInstall) {
    this.#options = options;
    this.#core = options.core;
    this.#shared = shared;
    this.#install = install;
    this.#selection = options.selection(install.catalog.tables);
    // ALTER TABLE would commit the exploring transaction, so this mode cannot set counters.
    this.keptCounters = keptCounters(install.catalog.tables, options.borrowed, undefined);
  }

  static async open(options: SavepointOptions): Promise<SavepointMode> {
    const { core, control, borrowed } = options;
    const shared = new SharedQueries(core.store, () => core.connection!);
    // Wait until the target has no open transaction, because the locks of a transaction would block the creation of triggers.
    const install = await core.alone(() => control.inTurn(() => SavepointInstall.make(control, shared, options.catalog, borrowed)));
    const mode = new SavepointMode(options, shared, install);
    if (borrowed) await mode.#alone((connection) => mode.#begin(connection));
    return mode;
  }

  root(): Promise<Observed> {
    return this.#alone(async (connection) => {
      await this.#begin(connection);
      const contents: [Table, string[]][] = [];
      for (const table of this.#install.catalog.tables.filter(this.#selection)) contents.push([table, await imagesOf(this.#shared, table)]);
      return observeAll(contents);
    });
  }

  mark(): Promise<Segment> {
    return this.#exploring(async (transactions) => {
      await this.#sync();
      const { top } = this.#mirror;
      if (this.#levels[this.#levels.length - 1]?.segment === top && !transactions.temporary.fresh) return top;
      this.#levels.push({ segment: top, read: this.#reader.position, depth: await transactions.keep() });
      this.#clean = this.#synced;
      return top;
    });
  }

  /** Returns the current state for comparisons. This state cannot be restored, because no savepoint is made. */
  async position(): Promise<Segment> {
    await this.#upToDate();
    return this.#mirror.top;
  }

  async changed(mark: unknown): Promise<boolean> {
    await this.#upToDate();
    return this.#mirror.top !== mark;
  }

  restore(mark: unknown): Promise<void> {
    return this.#exploring(async (transactions, connection) => {
      const at = this.#levels.findLastIndex((level) => level.segment === mark);
      const level = this.#levels[at];
      if (level === undefined || !this.#mirror.holds(level.segment)) throw markInvalid();
      const { activity } = this.#core;
      if (activity === this.#clean && at === this.#levels.length - 1) return;
      if (at === 0 && ++this.#putBack >= RENEW_AFTER && !this.#options.borrowed && !transactions.temporary.any) {
        await connection.query("rollback");
        await this.#start(connection);
      } else {
        await transactions.goBack(level.depth);
      }
      this.#levels.length = at + 1;
      this.#mirror.popTo(level.segment);
      this.#reader.position = level.read;
      this.#synced = this.#clean = activity;
    });
  }

  async observe(): Promise<Observed> {
    await this.#upToDate();
    return observeNet(this.#install.catalog.tables, this.#mirror.net, this.#selection);
  }

  /** Executes a query of user code. Rolls back writes that a stored function makes during the query. */
  async query(sql: string, values: readonly unknown[]): Promise<QueryRow[]> {
    try {
      return await this.#alone(async (connection) => {
        const ask = async (): Promise<QueryRow[]> => {
          const [rows] = await connection.query({ sql, supportBigNumbers: true, namedPlaceholders: false }, [...values] as never);
          return Array.isArray(rows) ? (rows as QueryRow[]) : [];
        };
        if (!this.#begun || this.#install.onlyReads(sql)) return ask();
        await connection.query("savepoint seqqa_look");
        try {
          return await ask();
        } finally {
          await connection.query("rollback to savepoint seqqa_look");
          await connection.query("release savepoint seqqa_look");
        }
      });
    } catch (error) {
      throw queryError(this.#core.store, sql, error);
    }
  }

  dump(): Promise<string> {
    return this.#alone(() => dumpDatabase(this.#shared, false));
  }

  capture(): never {
    throw notPortable();
  }

  write(): never {
    throw notPortable();
  }

  /**
   * Rolls back to the root state. In an external store, restores the content from before the run. If a statement of the target committed the
   * exploring transaction, also undoes the committed changes.
   */
  async close(leaveNothing: boolean): Promise<void> {
    const { control, core } = this.#options;
    try {
      await core.alone((connection) => {
        core.stopExploring();
        return connection.query("rollback");
      });
    } catch (error) {
      // Ignore a lost connection: the server has then rolled back the exploring transaction.
      if (!(error instanceof SeqqaError) || error.code !== "STORE_LOST") throw error;
    } finally {
      await core.end();
      this.#install.release();
      await control.inTurn(async () => {
        try {
          // Normally the undo log is empty, because nothing is committed. If the log has an entry, the run itself wrote the entry.
          if (leaveNothing) await leaveAsFound(control, { recordsRest: () => true });
        } catch (error) {
          throw this.#install.explained(error);
        } finally {
          await control.close();
        }
      });
    }
  }

  get #reader(): ChangeReader {
    return this.#install.reader;
  }

  async #begin(connection: Connection): Promise<void> {
    const { borrowed } = this.#options;
    if (this.#begun && borrowed) await connection.query(`release savepoint ${ROOT}`);
    else {
      // In a lane's own store, commit the changes that `setup` made.
      if (this.#begun) await connection.query("commit");
      this.#core.stopExploring();
      if (!borrowed) await this.#reinstall();
      await this.#reader.begin(!borrowed);
    }
    if (!this.#begun || !borrowed) await this.#start(connection);
    else await connection.query(`savepoint ${ROOT}`);
    if (this.#begun && borrowed) await this.#reader.begin(false);
    this.#begun = true;
    this.#mirror = new MultisetMirror("");
    this.#levels = [{ segment: this.#mirror.bottom, read: this.#reader.position, depth: 0 }];
    this.#synced = this.#clean = this.#core.activity;
  }

  /**
   * Begins the exploring transaction. The isolation level is READ COMMITTED, which needs no old row versions. The level has no other effect, because
   * nobody else writes.
   */
  async #start(connection: Connection): Promise<void> {
    // If the target has turned autocommit off, a read has begun a transaction. End this transaction.
    await connection.query("commit");
    await connection.query("set transaction isolation level read committed");
    await connection.query("start transaction read write");
    await connection.query(`savepoint ${ROOT}`);
    await this.#core.explore();
    this.#putBack = 0;
  }

  async #reinstall(): Promise<void> {
    const { control, selection } = this.#options;
    await control.inTurn(() => this.#install.renew());
    this.#selection = selection(this.#install.catalog.tables);
  }

  /** Reads the undo log if the target has made a request since the last read. */
  #upToDate(): Promise<void> {
    if (this.#begun && this.#core.quiet && this.#core.activity === this.#synced) return Promise.resolve();
    return this.#exploring(() => this.#sync());
  }

  async #sync(): Promise<void> {
    const { activity, transactions } = this.#core;
    const refused = transactions?.takeRefused();
    if (refused !== undefined) throw refused;
    if (activity === this.#synced) return;
    const changes = await this.#reader.read(this.#mirror);
    await this.#install.requireLease();
    this.#mirror.push(changes, "");
    this.#synced = activity;
  }

  #exploring<T>(work: (transactions: TargetTransactions, connection: Connection) => Promise<T>): Promise<T> {
    return this.#alone(async (connection) => {
      if (!this.#begun) await this.#begin(connection);
      const { transactions } = this.#core;
      if (transactions === undefined) throw savepointLost(this.#core.store, "the transaction was already ended");
      if (transactions.broken !== undefined) throw transactions.broken;
      return work(transactions, connection);
    });
  }

  async #alone<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const { store } = this.#core;
    try {
      return await this.#core.alone(work);
    } catch (error) {
      if (error instanceof SeqqaError) throw error;
      if (isBusy(error)) throw busyError(store, BUSY_LIMIT_MS, "another session holds a lock");
      throw isLost(error) ? lostError(store, error) : savepointLost(store, "a statement of seqqa itself failed", error);
    }
  }
}

/** Executes seqqa's own statements on the shared connection. Values are returned as text, whatever options the target has set for the driver. */
class SharedQueries implements Queries {
  readonly store: StoreUrl;
  readonly #connection: () => Connection;

  constructor(store: StoreUrl, connection: () => Connection) {
    this.store = store;
    this.#connection = connection;
  }

  async rows(sql: string): Promise<Row[]> {
    const typeCast = (field: { string(): string | null }): string | null => field.string();
    const [result] = await this.#connection().query({ sql, rowsAsArray: true, nestTables: false, typeCast: typeCast as never });
    return Array.isArray(result) ? (result as unknown as Row[]) : [];
  }

  /** Sends the statements one by one, because the shared connection does not allow several statements in one text. */
  async batch(statements: readonly string[]): Promise<Row[][]> {
    const all: Row[][] = [];
    for (const sql of statements) all.push(await this.rows(sql));
    return all;
  }
}
