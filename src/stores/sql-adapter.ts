import { SeqqaError } from "../model/errors.ts";
import { ignorePatterns } from "../model/stores/ignored.ts";
import type { CheckpointChoice, QueryListener, StoreAdapter, StoreScope, StoreTraits } from "../model/stores/store-adapter.ts";
import { DelegatingAdapter, type CheckpointMode, type QueryRow } from "./delegating-adapter.ts";

/** The options that all databases with a server have. */
export interface SqlAdapterOptions<Wanted extends string> {
  readonly checkpoint?: Wanted | undefined;
  readonly tables?: readonly string[] | undefined;
  readonly ignore?: readonly string[] | undefined;
  readonly symmetric?: readonly string[] | undefined;
}

/** The choice of a mode, with what the database needs to know for it. */
export interface Choosing<Mode, Wanted, Shared> {
  readonly wanted: Wanted;
  readonly scope: StoreScope;
  readonly tables: readonly string[] | undefined;
  /** The connection that the target was given; `undefined`: none. */
  readonly lent: Shared | undefined;
  readonly lend: () => Shared;
  /** The mode before a restart of the target. */
  readonly previous: Mode | undefined;
  readonly ignore: ReturnType<typeof ignorePatterns>;
}

/** A database with a server behind the API: what does not depend on its dialect. `Shared`: the connection for a target in this process. */
export abstract class SqlAdapter<Mode extends CheckpointMode, Wanted extends string, Shared extends { readonly asDriver: unknown }>
  extends DelegatingAdapter
  implements StoreAdapter
{
  abstract readonly name: string;
  onQuery: QueryListener | undefined;
  readonly tables: readonly string[] | undefined;
  readonly ignore: readonly string[];
  readonly symmetric: readonly string[];
  /** The database that the adapter works on, without credentials. */
  readonly uses: string;
  protected readonly wanted: Wanted | "auto";
  #choice: CheckpointChoice;
  #scope: StoreScope | undefined;
  #mode: Mode | undefined;
  #previous: Mode | undefined;
  #lent: Shared | undefined;

  constructor(options: SqlAdapterOptions<Wanted>, uses: string) {
    super();
    this.uses = uses;
    this.tables = options.tables;
    this.ignore = options.ignore ?? [];
    this.symmetric = options.symmetric ?? [];
    this.wanted = options.checkpoint ?? "auto";
    this.#choice = { mode: this.wanted, why: "not opened yet" };
  }

  /** The mode that was chosen, and why. */
  get checkpoint(): CheckpointChoice {
    return this.#choice;
  }

  get traits(): StoreTraits {
    return this.#mode?.traits ?? { portable: this.isPortable, commits: this.wanted !== "savepoint" };
  }

  /** `true` if the wanted mode gives snapshots that other lanes can read, as far as that is known before the store is open. */
  protected abstract get isPortable(): boolean;

  /** The name of the adapter's class, for messages. */
  protected abstract get label(): string;

  /** Modes in which the target has connections of its own. */
  protected abstract readonly separate: readonly string[];

  /** Returns the connection for a target in this process. @throws SeqqaError `NO_CONNECTION` if the target has connections of its own */
  protected shared(): Shared {
    if (this.#lent !== undefined) return this.#lent;
    if (this.#mode !== undefined || this.separate.includes(this.wanted)) {
      throw new SeqqaError(
        "NO_CONNECTION",
        `The ${this.label} of ${this.uses} has no shared connection in checkpoint mode "${this.#choice.mode}".`,
        { hint: 'Use query() to read data. An in-process target that uses the shared connection needs `checkpoint: "savepoint"`.' },
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
      lent: this.#lent,
      lend: () => this.#lend(),
      previous: this.#previous,
      ignore: ignorePatterns(this.ignore, scope),
    });
    this.#mode = mode;
    this.#choice = choice;
    this.#previous = undefined;
  }

  /** Chooses the mode that fits, and opens it. @throws SeqqaError */
  protected abstract choose(choosing: Choosing<Mode, Wanted, Shared>): Promise<{ readonly mode: Mode; readonly choice: CheckpointChoice }>;

  /** Makes the connection for a target in this process. */
  protected abstract makeShared(): Shared;

  /** Refuses a statement that does more than read. @throws SeqqaError `QUERY_WRITES` */
  protected abstract requireReading(sql: string): void;

  /** Returns the rows of a query, as objects. @throws SeqqaError `QUERY_WRITES` for a statement that does more than read */
  async query(sql: string, params: readonly unknown[] = []): Promise<QueryRow[]> {
    this.requireReading(sql);
    const rows = await this.opened().query(sql, params);
    this.onQuery?.({ sql, params, rows });
    return rows;
  }

  async close(): Promise<void> {
    const [mode, lent] = [this.#mode, this.#lent];
    this.#mode = this.#lent = undefined;
    try {
      // The data in a lane's own database may stay: it goes with the lane, and a restarted target continues from it.
      if (mode === undefined) return;
      this.#previous = mode;
      await mode.close(this.#scope?.borrowed ?? false);
    } finally {
      if (lent !== undefined) await this.endShared(lent);
    }
  }

  /** Ends the connection of a target in this process. Default: its mode ends it. */
  protected endShared(_shared: Shared): Promise<void> {
    return Promise.resolve();
  }

  #lend(): Shared {
    return (this.#lent ??= this.makeShared());
  }

  protected opened(): Mode {
    if (this.#mode !== undefined) return this.#mode;
    throw new SeqqaError("STORE_NOT_OPEN", `The ${this.label} of ${this.uses} is not open.`, {
      hint: "A lane opens it when the target is ready; use it in actions and invariants only.",
    });
  }
}
