import { existsSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { SeqqaError } from "../../model/errors.ts";
import { notOpen, type StoreFailure } from "../../stores/connect/store-errors.ts";
import { ignorePatterns } from "../../model/stores/ignored.ts";
import {
  isPromise,
  type Awaitable,
  type CheckpointChoice,
  type KeptCounters,
  type Checkpoint,
  type NoFaults,
  type NoGate,
  type Observed,
  type StoreAdapter,
  type StoreScope,
  type StoreTraits,
  type TableSchema,
  type QueryListener,
  type WriteFaults,
} from "../../model/stores/store-adapter.ts";
import { attempt } from "../../stores/index.ts";
import { chooseMode, type SqliteCheckpoint } from "./connect/choose-mode.ts";
import { connect } from "./connect/connect.ts";
import { dumpDatabase } from "./read/dump.ts";
import { BUSY_LIMIT_MS, busyError, isBusy, openError } from "./connect/failures.ts";
import { Looker, type QueryParameters, type QueryRow } from "./read/looker.ts";
import type { SqliteMode } from "./connect/mode.ts";
import { schemaOf } from "./connect/schema-text.ts";
import { sqlitePath } from "./connect/sqlite-path.ts";
import { requireUnused } from "./journal/take-over.ts";

/** Options of {@link SqliteAdapter}. */
export interface SqliteAdapterOptions {
  /** The path of the database file, or a `sqlite:` URL. `:memory:` works only for a target in this process. */
  readonly file: string;
  /**
   * The checkpoint mode. `journal`: restores with an undo log that triggers write. `copy`: restores the file as a whole. `savepoint`: uses nested
   * savepoints on {@link SqliteAdapter.connection}, for a target in this process. Default: `auto`, which chooses a suitable mode, see {@link
   * SqliteAdapter.checkpoint}.
   */
  readonly checkpoint?: SqliteCheckpoint | undefined;
  /** The tables that belong to the state. Changes of other tables are undone by restores, but are not part of states. Default: all tables. */
  readonly tables?: readonly string[] | undefined;
  /**
   * Tables (`events`, `audit_*`) and columns (`orders.seen`, `*.updated_at`) that are not part of the state. In an external file, restores leave
   * these tables and columns as they are.
   */
  readonly ignore?: readonly string[] | undefined;
  /** Columns, as `table.column`, with interchangeable ids. States that differ only in which of these ids they use are the same state. */
  readonly symmetric?: readonly string[] | undefined;
}

/** The store adapter for a SQLite database. */
export class SqliteAdapter implements StoreAdapter {
  readonly name = "sqlite";
  onQuery: QueryListener | undefined;
  readonly file: string;
  readonly tables: readonly string[] | undefined;
  readonly ignore: readonly string[];
  readonly symmetric: readonly string[];
  readonly #wanted: SqliteCheckpoint;
  #choice: CheckpointChoice;
  #scope: StoreScope | undefined;
  #mode: SqliteMode | undefined;
  #failure: StoreFailure | undefined;
  /** The checkpoint mode of this store before the target restarted. */
  #previous: SqliteMode | undefined;
  #connection: Database | undefined;
  #looker: Looker | undefined;

  constructor(options: SqliteAdapterOptions) {
    if (typeof options.file !== "string" || options.file === "") {
      throw new SeqqaError("SQLITE_WITHOUT_FILE", "A SqliteAdapter was created without the path of a file: its option file is missing.", {
        hint: "Pass `file: lane.dbPath`. If lane.dbPath is undefined, set `db_url: sqlite:<file>` in seqqa.yaml.",
        exitStatus: 2,
      });
    }
    this.file = sqlitePath(options.file);
    this.tables = options.tables;
    this.ignore = options.ignore ?? [];
    this.symmetric = options.symmetric ?? [];
    this.#wanted = options.checkpoint ?? "auto";
    this.#choice = { mode: this.#wanted, why: "not opened yet" };
  }

  get uses(): string | undefined {
    return this.file === ":memory:" ? undefined : this.file;
  }

  /** The chosen checkpoint mode and the reason for the choice. */
  get checkpoint(): CheckpointChoice {
    return this.#choice;
  }

  get traits(): StoreTraits {
    return this.#mode?.traits ?? { portable: this.#wanted !== "savepoint", commits: this.#wanted !== "savepoint" };
  }

  /**
   * The shared connection for a target in this process. Reading this property before the exploration begins chooses `savepoint`, unless another mode
   * is configured.
   *
   * @throws SeqqaError `NO_CONNECTION` in other modes, in which the target uses its own connections
   */
  get connection(): Database {
    if (this.#connection !== undefined) return this.#connection;
    if (this.#mode !== undefined || this.#wanted === "journal" || this.#wanted === "copy") {
      throw new SeqqaError(
        "NO_CONNECTION",
        `The SqliteAdapter of ${this.file} has no shared connection in checkpoint mode "${this.#choice.mode}".`,
        {
          hint: 'To read data, call query(). To let an in-process target use seqqa\'s connection, set `checkpoint: "savepoint"`.',
        },
      );
    }
    this.#connection = connect(this.file, false);
    return this.#connection;
  }

  open(scope: StoreScope): Awaitable<void> {
    this.#scope = scope;
    const unused = scope.borrowed && existsSync(this.file) ? requireUnused(this.file, this.#previous?.token) : undefined;
    return isPromise(unused) ? unused.then(() => this.#choose(scope)) : this.#choose(scope);
  }

  #choose(scope: StoreScope): Awaitable<void> {
    return attempt(
      () => {
        try {
          const { mode, choice } = chooseMode({
            file: this.file,
            wanted: this.#wanted,
            scope,
            tables: this.tables,
            shared: this.#connection,
            connect: () => connect(this.file),
            lend: () => this.connection,
            previous: this.#previous,
            ignore: ignorePatterns(this.ignore, scope),
          });
          this.#mode = mode;
          this.#failure = undefined;
          this.#choice = choice;
          this.#previous = undefined;
          this.#looker = undefined;
        } catch (error) {
          throw openError(this.file, error);
        }
      },
      isBusy,
      BUSY_LIMIT_MS,
      busyError(this.file, BUSY_LIMIT_MS),
    );
  }

  root(): Awaitable<Observed> {
    return this.#opened().root();
  }

  mark(): Awaitable<Checkpoint> {
    return this.#opened().mark();
  }

  position(): Awaitable<Checkpoint> {
    const mode = this.#opened();
    return mode.position === undefined ? mode.mark() : mode.position();
  }

  changed(mark: Checkpoint): Awaitable<boolean> {
    return this.#opened().changed(mark);
  }

  restore(mark: Checkpoint): Awaitable<void> {
    return this.#opened().restore(mark);
  }

  get keptCounters(): KeptCounters | undefined {
    return this.#opened().keptCounters;
  }

  observe(): Awaitable<Observed> {
    return this.#opened().observe();
  }

  capture(): Awaitable<unknown> {
    return this.#opened().capture();
  }

  captureWhole(): Awaitable<unknown> {
    return this.#opened().captureWhole?.();
  }

  write(image: unknown): Awaitable<void> {
    return this.#opened().write(image);
  }

  /**
   * Executes a query and returns its rows as objects. Integers beyond 2^53 lose precision, because better-sqlite3 returns numbers.
   *
   * @throws SeqqaError `QUERY_WRITES` for a statement that does more than read
   */
  query(sql: string, params?: QueryParameters): QueryRow[] {
    this.#looker ??= new Looker(this.#opened().db);
    const rows = this.#looker.all(sql, params);
    this.onQuery?.({ sql, params, rows });
    return rows;
  }

  spoil(sql: string): number {
    // The exploring transaction locks the file, so a second connection could not write.
    if (this.#choice.mode === "savepoint") return this.#opened().db.prepare(sql).run().changes;
    const db = connect(this.file);
    try {
      return db.prepare(sql).run().changes;
    } finally {
      db.close();
    }
  }

  gate(): NoGate {
    return { kind: "none", why: "SQLite writes inside the target, where seqqa cannot delay a write" };
  }

  writeFaults(): WriteFaults | NoFaults {
    const { faults } = this.#opened();
    if (faults !== undefined) return faults;
    const { mode } = this.#choice;
    return {
      kind: "none",
      why:
        mode === "journal"
          ? "the run was started without faults, so the store has no triggers that make writes fail"
          : `the checkpoint "${mode}" installs no triggers that could make a write fail`,
    };
  }

  schema(): Awaitable<readonly TableSchema[]> {
    const { db } = this.#opened();
    const isOrdered = this.#choice.mode !== "copy";
    return attempt(() => schemaOf(db, isOrdered), isBusy, BUSY_LIMIT_MS, busyError(this.file, BUSY_LIMIT_MS));
  }

  dump(): Awaitable<string> {
    const { db } = this.#opened();
    return attempt(() => dumpDatabase(db), isBusy, BUSY_LIMIT_MS, busyError(this.file, BUSY_LIMIT_MS));
  }

  /** Closes seqqa's own connection before the target restarts. While the connection is open, `PRAGMA journal_mode` would fail in the target. */
  pause(): Awaitable<void> {
    return this.#close(false);
  }

  /** Opens seqqa's own connection again after the target restarted. Existing checkpoints stay valid. */
  resume(): Awaitable<void> {
    if (this.#mode === undefined && this.#scope !== undefined) return this.open(this.#scope);
  }

  close(): Awaitable<void> {
    return this.#close(this.#scope?.borrowed ?? false);
  }

  #close(leaveNothing: boolean): Awaitable<void> {
    const mode = this.#mode;
    this.#mode = undefined;
    this.#looker = undefined;
    this.#connection = undefined;
    if (mode === undefined) return undefined;
    // Do not restore a lane's own file: the file is deleted together with the lane, and a restarted target must find the present data in it.
    this.#previous = mode;
    const failed = (error: unknown): never => {
      this.#failure = { error, inPlace: leaveNothing };
      throw error;
    };
    try {
      const closed = mode.close(leaveNothing);
      return isPromise(closed) ? closed.catch(failed) : closed;
    } catch (error) {
      return failed(error);
    }
  }

  #opened(): SqliteMode {
    if (this.#mode !== undefined) return this.#mode;
    throw notOpen(`SqliteAdapter of ${this.file}`, this.#failure);
  }
}
