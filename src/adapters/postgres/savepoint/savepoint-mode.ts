import type { Client } from "pg";
import { SeqqaError } from "../../../model/errors.ts";
import type { NoGate, Observed, StoreTraits } from "../../../model/stores/store-adapter.ts";
import { markInvalid } from "../../../stores/connect/store-errors.ts";
import { OURS, readCatalog } from "../schema/catalog.ts";
import { importDriver, TEXT_SETTINGS } from "../connect/connect.ts";
import { pairsOf } from "../journal/counter-sql.ts";
import { dumpDatabase } from "../read/dump.ts";
import { busyError, isBusy, isLost, lostError } from "../connect/failures.ts";
import type { SharedConnectionCore } from "./shared-connection-core.ts";
import { queryError } from "../read/looker.ts";
import type { PostgresMode, QueryRow } from "../connect/mode.ts";
import { MultisetMirror, type Segment } from "../../../stores/journal/multiset-mirror.ts";
import { observeAll, observeCounters, observeNet, rows } from "../read/observe.ts";
import { requireUnused } from "../journal/recover.ts";
import { notPortable, savepointLost } from "./savepoint-failures.ts";
import { TRIGGER } from "./savepoint-log.ts";
import { forgetCounters, noteCounters, putNotedCounters, recoverApart, recoverCounters } from "./savepoint-recovery.ts";
import { LOCK_LIMIT_MS, raw, SavepointStore } from "./savepoint-store.ts";
import { savepointAt } from "./savepoint-transactions.ts";
import { vacuumApart } from "../journal/vacuum.ts";
import { select, type Selection } from "../read/selection.ts";
import type { StoreUrl } from "../connect/store-url.ts";
import { quoteText } from "../connect/sql-text.ts";
import { parseForUsers } from "../read/values.ts";

/** A checkpoint: a state and the savepoint that restores it. */
interface Level {
  readonly segment: Segment;
  /** The number of the last log entry when this savepoint was made. A rollback to the savepoint removes all later entries. */
  readonly read: string;
  readonly depth: number;
}

export interface SavepointOptions {
  readonly store: StoreUrl;
  readonly core: SharedConnectionCore;
  readonly borrowed: boolean;
  readonly schemas: readonly string[] | undefined;
  readonly tables: readonly string[] | undefined;
}

/**
 * The number of restores after which the next restore of the root state begins a new exploring transaction. Before this transaction begins, dead rows
 * are vacuumed.
 */
const RENEW_AFTER = 2000;
/**
 * The number of restores after which the tables are vacuumed over another connection. Without this limit, the tables would grow until the next
 * restore of the root state.
 */
const CLEAN_AFTER = 1000;
const TEXT_LOCALLY = Object.entries(TEXT_SETTINGS)
  .map(([name, value]) => `set local ${name} = ${quoteText(value)}`)
  .join("; ");
const ROOT = savepointAt(0);
const BEGIN = "begin isolation level read committed read write";

/**
 * The checkpoint mode `savepoint`, which makes nested savepoints on the connection of a target in this process. Nothing is committed during the
 * exploration, so the cost of a restore does not depend on the amount of changes. A rollback does not restore sequences, so statements restore the
 * sequences separately.
 */
export class SavepointMode implements PostgresMode {
  readonly traits: StoreTraits = { portable: false, commits: false };
  readonly gate: NoGate = {
    kind: "none",
    why: 'with the checkpoint "savepoint", all statements share one connection and cannot overlap; races need `checkpoint: "journal"`',
  };
  readonly #options: SavepointOptions;
  readonly #core: SharedConnectionCore;
  #log!: SavepointStore;
  #selection!: Selection;
  #mirror!: MultisetMirror;
  #levels: Level[] = [];
  #read = "0";
  /**
   * The signal of the undo log at the last read or after the last restore. The signal changes if rows or the schema may have changed without a log
   * entry.
   */
  #signal = "";
  /**
   * `#synced`: the number of the target's requests at the last read of the undo log. `#clean`: the number of the target's requests when the newest
   * checkpoint was made or restored.
   */
  #synced = -1;
  #clean = -1;
  #putBack = 0;
  #unclean = 0;

  private constructor(options: SavepointOptions) {
    this.#options = options;
    this.#core = options.core;
  }

  static async open(options: SavepointOptions): Promise<SavepointMode> {
    const mode = new SavepointMode(options);
    options.core.requireNoneRefused();
    if (options.borrowed) await mode.#borrow();
    await mode.#alone(async (client) => {
      try {
        await client.query(BEGIN);
        await mode.#install();
        if (!options.borrowed) await client.query(`commit; ${BEGIN}`);
        const { counters, signal } = await mode.#log.read("0");
        mode.#signal = signal;
        await mode.#beginAt(client, counters, "");
      } catch (error) {
        await client.query("rollback").catch(() => undefined);
        throw error;
      }
    });
    return mode;
  }

  /**
   * Prepares an external store. Checks that no dead run has left changes. Records the values of the sequences, so that the end of the run can restore
   * them.
   */
  async #borrow(): Promise<void> {
    const { store, schemas, tables } = this.#options;
    const left = await this.#alone(async (client) => {
      await recoverCounters(client, store);
      return (await client.query(`select 1 from pg_catalog.pg_namespace where nspname = '${OURS}'`)).rowCount;
    });
    if (left === 1) await requireUnused(store);
    await this.#alone(async (client) => {
      const catalog = await readCatalog(raw(client));
      // Throw for unknown tables before recording anything in the database.
      select(store, catalog, schemas, tables);
      await client.query("begin; set local role none");
      await noteCounters(client, store, catalog.sequences);
      await client.query("commit");
    });
  }

  root(): Promise<Observed> {
    // Announce the client before the exploration. Settings that listeners make later would be rolled back together with the state.
    this.#core.announce();
    this.#core.requireNoneRefused();
    return this.#alone(async (client) => {
      // In a lane's own store, commit the changes that `setup` made. In an external store, the end of the run rolls these changes back.
      const { borrowed } = this.#options;
      if ((await this.#log.schemaDifference()) !== undefined) await this.#install();
      if (!borrowed) await client.query("commit");
      if (!borrowed) await this.#renew(client);
      const { tables, sequences } = this.#log.catalog;
      const whole: [(typeof tables)[number], string[]][] = [];
      for (const table of tables) if (this.#selection.tables(table)) whole.push([table, await this.#log.rowsOf(table)]);
      const { counters, read, signal } = await this.#log.read(this.#read);
      [this.#read, this.#signal] = [read, signal];
      await this.#beginAt(client, counters, borrowed ? `release savepoint ${ROOT}; ` : "");
      return rows(observeAll(whole), observeCounters(sequences, pairsOf(counters, sequences.length), undefined, this.#selection));
    });
  }

  mark(): Promise<Segment> {
    return this.#alone(async () => {
      await this.#sync();
      const { top } = this.#mirror;
      if (this.#levels[this.#levels.length - 1]?.segment === top) return top;
      this.#levels.push({ segment: top, read: this.#read, depth: await this.#core.keep() });
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

  async restore(mark: unknown): Promise<void> {
    await this.#alone(async (client) => {
      const at = this.#levels.findLastIndex((level) => level.segment === mark);
      const level = this.#levels[at];
      if (level === undefined || !this.#mirror.holds(level.segment)) throw markInvalid();
      const { activity } = this.#core;
      if (activity === this.#clean && at === this.#levels.length - 1) return;
      const put = SavepointStore.putCounters(this.#mirror.countersAt(level.segment));
      this.#putBack++;
      if (at === 0 && this.#putBack >= RENEW_AFTER && !this.#options.borrowed) {
        await client.query("rollback");
        await this.#renew(client);
        this.#signal = await this.#log.signalAfter([...put, `savepoint ${ROOT}`]);
      } else {
        this.#signal = await this.#log.signalAfter([`rollback to savepoint ${savepointAt(level.depth)}`, ...put]);
        if (++this.#unclean >= CLEAN_AFTER) await this.#cleanApart();
      }
      this.#core.wentBack(level.depth);
      this.#levels.length = at + 1;
      this.#mirror.popTo(level.segment);
      this.#read = level.read;
      this.#synced = this.#clean = activity;
    });
  }

  async observe(): Promise<Observed> {
    await this.#upToDate();
    const { tables, sequences } = this.#log.catalog;
    const { net, counters, rootCounters } = this.#mirror;
    const [now, root] = [counters, rootCounters].map((one) => pairsOf(one, sequences.length)) as [string, string];
    return rows(observeNet(tables, net, this.#selection), observeCounters(sequences, now, root, this.#selection));
  }

  async query(sql: string, values: readonly unknown[]): Promise<QueryRow[]> {
    const { types } = await importDriver();
    // Use the extended protocol, which allows one statement in a text. The server therefore refuses a second statement after a semicolon.
    const config = { text: sql, values: values as unknown[], types: parseForUsers(types), queryMode: "extended" };
    try {
      return await this.#looking(async (client) => {
        await client.query("set transaction read only");
        return (await client.query<QueryRow>(config)).rows;
      });
    } catch (error) {
      throw queryError(this.#options.store, sql, error);
    }
  }

  dump(): Promise<string> {
    return this.#looking(async (client) => {
      await client.query(TEXT_LOCALLY);
      const lines = (await dumpDatabase(raw(client))).split("\n");
      return lines.filter((line) => !(line.startsWith("trigger ") && line.includes(` ${TRIGGER}`))).join("\n");
    });
  }

  capture(): never {
    throw notPortable();
  }

  write(): never {
    throw notPortable();
  }

  /** Rolls back to the root state. In an external store, rolls back to the content from before the run. */
  async close(): Promise<void> {
    try {
      await this.#alone(async (client) => {
        this.#core.stopExploring();
        await client.query("rollback; set role none");
        if (this.#options.borrowed) await client.query(`begin; ${putNotedCounters}; ${forgetCounters}; commit`);
        else {
          for (const put of SavepointStore.putCounters(this.#mirror.rootCounters)) await client.query(put);
          await this.#log.remove();
        }
      });
    } catch (error) {
      // Ignore a lost connection: the server has then rolled back the exploring transaction, so only sequences remain to be restored.
      if (!(error instanceof SeqqaError) || error.code !== "STORE_LOST") throw error;
      if (this.#options.borrowed) await recoverApart(this.#options.store);
    } finally {
      await this.#core.end();
    }
  }

  async #install(): Promise<void> {
    this.#log = await SavepointStore.install(this.#options.store, this.#core.client!);
    this.#read = "0";
    const { store, schemas, tables } = this.#options;
    const selection = select(store, this.#log.catalog, schemas, tables);
    // Sequences whose values may be kept in memory are not observed, because their next value cannot be predicted.
    this.#selection = { ...selection, sequences: (one) => !one.cached && selection.sequences(one) };
  }

  /** Makes the current state the root state and forgets all checkpoints. `before`: SQL to execute before the savepoint of the root state. */
  async #beginAt(client: Client, counters: string, before: string): Promise<void> {
    await client.query(`${before}savepoint ${ROOT}`);
    this.#mirror = new MultisetMirror(counters);
    this.#levels = [{ segment: this.#mirror.bottom, read: this.#read, depth: 0 }];
    this.#synced = this.#clean = this.#core.activity;
    this.#core.explore(this.#log.deferred);
  }

  /** Vacuums the tables between two exploring transactions, and begins the next exploring transaction. */
  async #renew(client: Client): Promise<void> {
    if (this.#putBack > 0) await this.#vacuum(client);
    await this.#log.empty();
    this.#read = "0";
    this.#putBack = 0;
    await client.query(BEGIN);
  }

  /** Removes the dead rows that rollbacks leave. PostgreSQL's autovacuum does not see dead rows of an open transaction. */
  async #vacuum(client: Client): Promise<void> {
    for (const { sqlName } of this.#log.catalog.tables) await client.query(`vacuum ${sqlName}`).catch(() => undefined);
    this.#unclean = 0;
  }

  /** Vacuums the tables over another connection. Ignores failures, because restores also work without a vacuum. */
  async #cleanApart(): Promise<void> {
    this.#unclean = 0;
    const names = this.#log.catalog.tables.map(({ sqlName }) => sqlName);
    await vacuumApart(this.#options.store, names).catch(() => undefined);
  }

  /** Reads the undo log if the target has made a request since the last read. */
  #upToDate(): Promise<void> {
    if (this.#core.quiet && this.#core.activity === this.#synced) return Promise.resolve();
    return this.#alone(() => this.#sync());
  }

  async #sync(): Promise<void> {
    const { activity } = this.#core;
    if (activity === this.#synced) return;
    this.#core.requireNoneRefused();
    const { changes, counters, read, signal } = await this.#log.read(this.#read);
    if (signal !== this.#signal) await this.#log.requireSameSchema(this.#signal, signal);
    this.#mirror.push(changes, counters === this.#mirror.counters ? this.#mirror.counters : counters);
    [this.#read, this.#signal] = [read, signal];
    this.#synced = activity;
  }

  /** Calls `work` as the role that connected, and then rolls back the settings and changes that `work` made. `work` must only read. */
  #looking<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.#core.alone(async (client) => {
      await client.query("savepoint seqqa_look; set local role none");
      const result = await work(client);
      await client.query("rollback to savepoint seqqa_look; release savepoint seqqa_look");
      return result;
    });
  }

  async #alone<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const { store } = this.#options;
    try {
      return await this.#core.alone(work);
    } catch (error) {
      if (error instanceof SeqqaError) throw error;
      if (isBusy(error)) throw busyError(store, LOCK_LIMIT_MS, "another session holds a lock");
      throw isLost(error) ? lostError(store, error) : savepointLost(store, error);
    }
  }
}
