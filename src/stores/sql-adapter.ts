import { SeqqaError } from "../model/errors.ts";
import { ignorePatterns } from "../model/stores/ignored.ts";
import type { CheckpointChoice, QueryListener, StoreAdapter, StoreScope, StoreTraits } from "../model/stores/store-adapter.ts";
import { notOpen, type StoreFailure } from "./connect/store-errors.ts";
import { DelegatingAdapter, type CheckpointMode, type QueryRow } from "./delegating-adapter.ts";

/** The options that the adapters for PostgreSQL and MySQL have in common. */
export interface SqlAdapterOptions<Wanted extends string> {
  readonly checkpoint?: Wanted | undefined;
  readonly tables?: readonly string[] | undefined;
  readonly ignore?: readonly string[] | undefined;
  readonly symmetric?: readonly string[] | undefined;
}

export interface Choosing<Mode, Wanted, Shared> {
  readonly wanted: Wanted;
  readonly scope: StoreScope;
  readonly tables: readonly string[] | undefined;
  /** The shared connection, if the target already uses it. */
  readonly shared: Shared | undefined;
  readonly lend: () => Shared;
  /** The checkpoint mode that was chosen before the target was restarted; `undefined` when the store is opened for the first time. */
  readonly previous: Mode | undefined;
  readonly ignore: ReturnType<typeof ignorePatterns>;
}

/** The base class of adapters for database servers, without the parts that depend on the SQL dialect. */
export abstract class SqlAdapter<Mode extends CheckpointMode, Wanted extends string, Shared extends { readonly asDriver: unknown }>
  extends DelegatingAdapter
  implements StoreAdapter
{
  abstract readonly name: string;
  onQuery: QueryListener | undefined;
  readonly tables: readonly string[] | undefined;
  readonly ignore: readonly string[];
  readonly symmetric: readonly string[];
  /** The URL of the database, without user name and password. */
  readonly uses: string;
  protected readonly wanted: Wanted | "auto";
  #choice: CheckpointChoice;
  #scope: StoreScope | undefined;
  #mode: Mode | undefined;
  #previous: Mode | undefined;
  #failure: StoreFailure | undefined;
  #sharedConnection: Shared | undefined;

  constructor(options: SqlAdapterOptions<Wanted>, uses: string) {
    super();
    this.uses = uses;
    this.tables = options.tables;
    this.ignore = options.ignore ?? [];
    this.symmetric = options.symmetric ?? [];
    this.wanted = options.checkpoint ?? "auto";
    this.#choice = { mode: this.wanted, why: "not opened yet" };
  }

  /** The chosen checkpoint mode and the reason for the choice. */
  get checkpoint(): CheckpointChoice {
    return this.#choice;
  }

  get traits(): StoreTraits {
    return this.#mode?.traits ?? { portable: this.isPortable, commits: this.wanted !== "savepoint" };
  }

  /**
   * `true` if the configured checkpoint mode makes snapshots that can be written to other lanes. seqqa reads this property before the store is open.
   */
  protected abstract get isPortable(): boolean;

  /** The name of the adapter's class, for messages. */
  protected abstract get label(): string;

  /** The checkpoint modes that let the target use its own connections, not the shared connection. */
  protected abstract readonly separate: readonly string[];

  /** Returns the shared connection, which a target in this process uses. @throws SeqqaError `NO_CONNECTION` if the target uses its own connections */
  protected shared(): Shared {
    if (this.#sharedConnection !== undefined) return this.#sharedConnection;
    if (this.#mode !== undefined || this.separate.includes(this.wanted)) {
      throw new SeqqaError(
        "NO_CONNECTION",
        `The ${this.label} of ${this.uses} has no shared connection in checkpoint mode "${this.#choice.mode}".`,
        { hint: 'To read data, call query(). To let an in-process target use seqqa\'s connection, set `checkpoint: "savepoint"`.' },
      );
    }
    return this.#lend();
  }

  async open(scope: StoreScope): Promise<void> {
    this.#scope = scope;
    const { mode, choice } = await this.choose({
      wanted: this.wanted as Wanted,
      scope,
      tables: this.tables,
      shared: this.#sharedConnection,
      lend: () => this.#lend(),
      previous: this.#previous,
      ignore: ignorePatterns(this.ignore, scope),
    });
    this.#mode = mode;
    this.#failure = undefined;
    this.#choice = choice;
    this.#previous = undefined;
  }

  /** Chooses and opens the checkpoint mode that suits the database and the privileges of its users. @throws SeqqaError */
  protected abstract choose(choosing: Choosing<Mode, Wanted, Shared>): Promise<{ readonly mode: Mode; readonly choice: CheckpointChoice }>;

  protected abstract makeShared(): Shared;

  /** Checks that a statement only reads. @throws SeqqaError `QUERY_WRITES` */
  protected abstract requireReading(sql: string): void;

  /** Returns the rows of a read-only query as objects. @throws SeqqaError `QUERY_WRITES` if the statement does more than read */
  async query(sql: string, params: readonly unknown[] = []): Promise<QueryRow[]> {
    this.requireReading(sql);
    const rows = await this.opened().query(sql, params);
    this.onQuery?.({ sql, params, rows });
    return rows;
  }

  async close(): Promise<void> {
    const [mode, connection] = [this.#mode, this.#sharedConnection];
    this.#mode = this.#sharedConnection = undefined;
    try {
      // Closing the mode does not restore a lane's own database: the database is deleted together with the lane, and a restarted target must find the
      // present data in it.
      if (mode === undefined) return;
      this.#previous = mode;
      await mode.close(this.#scope?.borrowed ?? false);
    } catch (error) {
      this.#failure = { error, inPlace: this.#scope?.borrowed ?? false };
      throw error;
    } finally {
      if (connection !== undefined) await this.endShared(connection);
    }
  }

  /** Closes the shared connection. The default implementation does nothing, because the checkpoint mode closes the connection. */
  protected endShared(_shared: Shared): Promise<void> {
    return Promise.resolve();
  }

  #lend(): Shared {
    return (this.#sharedConnection ??= this.makeShared());
  }

  protected opened(): Mode {
    if (this.#mode !== undefined) return this.#mode;
    throw notOpen(`${this.label} of ${this.uses}`, this.#failure);
  }
}
