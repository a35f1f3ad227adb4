import { SeqqaError } from "../../model/errors.ts";
import { ignorePatterns } from "../../model/stores/ignored.ts";
import type {
  CheckpointChoice,
  StoreAdapter,
  StoreScope,
  StoreTraits,
  TableSchema,
  QueryListener,
} from "../../model/stores/store-adapter.ts";
import { DelegatingAdapter } from "../../stores/delegating-adapter.ts";
import { chooseMode, type MysqlCheckpoint } from "./connect/choose-mode.ts";
import { SharedConnection, type MysqlConnection } from "./savepoint/shared-connection.ts";
import { requireReading } from "./read/looker.ts";
import type { MysqlMode, QueryRow } from "./connect/mode.ts";
import { storeUrl, type StoreUrl } from "./connect/store-url.ts";

export interface MysqlAdapterOptions {
  /** `mysql://user:password@host:port/database`; never shown with its password. */
  readonly url: string;
  /**
   * How the database is restored. `journal`: an undo log by triggers. `savepoint`: nested savepoints on {@link MysqlAdapter.connection}, for a target
   * in this process; every table must support transactions. `copy`: everything is read and what differs is written back, for small databases; DDL and
   * AUTO_INCREMENT are restored too, but a user's own database (`base_url`) is refused. Default `auto`: the mode that fits, see
   * {@link MysqlAdapter.checkpoint}.
   */
  readonly checkpoint?: MysqlCheckpoint | undefined;
  /** The tables that belong to the state; the others are restored, but not observed. Default: all. */
  readonly tables?: readonly string[] | undefined;
  /**
   * Tables (`events`, `audit_*`) and columns (`orders.seen`, `*.updated_at`) that are not part of the state. In a database of the user's they are
   * left alone.
   */
  readonly ignore?: readonly string[] | undefined;
  /** `table.column`s of ids that are interchangeable, so that states that differ only in their names are one. */
  readonly symmetric?: readonly string[] | undefined;
}

/** A MySQL or MariaDB database behind the API. */
export class MysqlAdapter extends DelegatingAdapter implements StoreAdapter {
  readonly name = "mysql";
  onQuery: QueryListener | undefined;
  readonly tables: readonly string[] | undefined;
  readonly ignore: readonly string[];
  readonly symmetric: readonly string[];
  readonly #store: StoreUrl;
  readonly #wanted: MysqlCheckpoint;
  #choice: CheckpointChoice;
  #scope: StoreScope | undefined;
  #mode: MysqlMode | undefined;
  /** The mode before a restart of the target. */
  #previous: MysqlMode | undefined;
  #lent: SharedConnection | undefined;
  #schema: readonly TableSchema[] = [];

  constructor(options: MysqlAdapterOptions) {
    super();
    if (typeof options.url !== "string" || options.url === "") {
      throw new SeqqaError("MYSQL_WITHOUT_URL", "A MysqlAdapter needs the URL of its database.", {
        hint: "Pass `url: lane.dbUrl`; it is undefined when no `db_url` is configured.",
        exitStatus: 2,
      });
    }
    this.#store = storeUrl(options.url);
    this.tables = options.tables;
    this.ignore = options.ignore ?? [];
    this.symmetric = options.symmetric ?? [];
    this.#wanted = options.checkpoint ?? "auto";
    this.#choice = { mode: this.#wanted, why: "not opened yet" };
  }

  /** The database that the adapter works on, without credentials. */
  get uses(): string {
    return this.#store.shown;
  }

  /** The mode that was chosen, and why. */
  get checkpoint(): CheckpointChoice {
    return this.#choice;
  }

  get traits(): StoreTraits {
    return this.#mode?.traits ?? { portable: this.#wanted !== "savepoint", commits: this.#wanted !== "savepoint" };
  }

  /**
   * The connection for an in-process target, a pool and a connection of `mysql2/promise` in one. Taking it before the exploration begins chooses
   * `savepoint`, unless another mode was asked for, or a table does not support transactions.
   *
   * @throws SeqqaError `NO_CONNECTION` in the other modes: the target has connections of its own.
   */
  get connection(): MysqlConnection {
    if (this.#lent !== undefined) return this.#lent.asDriver;
    if (this.#mode !== undefined || this.#wanted === "journal" || this.#wanted === "copy") {
      throw new SeqqaError(
        "NO_CONNECTION",
        `The MysqlAdapter of ${this.uses} has no shared connection in checkpoint mode "${this.#choice.mode}".`,
        {
          hint: 'Use query() to read data. An in-process target that uses the shared connection needs `checkpoint: "savepoint"`.',
        },
      );
    }
    return this.#lend().asDriver;
  }

  async open(scope: StoreScope): Promise<void> {
    this.#scope = scope;
    const { mode, choice, schema } = await chooseMode({
      store: this.#store,
      wanted: this.#wanted,
      scope,
      tables: this.tables,
      lent: this.#lent,
      lend: () => this.#lend(),
      previous: this.#previous,
      ignore: ignorePatterns(this.ignore, scope),
    });
    this.#mode = mode;
    this.#schema = schema;
    this.#choice = choice;
    this.#previous = undefined;
  }

  /**
   * Returns the rows of a query, as objects; `?` is replaced by `params`. Values are as `mysql2` gives them; integers beyond 2^53 are text.
   *
   * @throws SeqqaError `QUERY_WRITES` for a statement that does more than read.
   */
  async query(sql: string, params: readonly unknown[] = []): Promise<QueryRow[]> {
    requireReading(sql);
    const rows = await this.opened().query(sql, params);
    this.onQuery?.({ sql, params, rows });
    return rows;
  }

  schema(): readonly TableSchema[] {
    return this.#schema;
  }

  async close(): Promise<void> {
    const mode = this.#mode;
    const lent = this.#lent;
    this.#mode = undefined;
    this.#lent = undefined;
    try {
      // The data in a lane's own database may stay: it goes with the lane, and a restarted target continues from it.
      if (mode === undefined) return;
      this.#previous = mode;
      await mode.close(this.#scope?.borrowed ?? false);
    } finally {
      await lent?.core.end();
    }
  }

  #lend(): SharedConnection {
    return (this.#lent ??= new SharedConnection(this.#store));
  }

  protected opened(): MysqlMode {
    if (this.#mode !== undefined) return this.#mode;
    throw new SeqqaError("STORE_NOT_OPEN", `The MysqlAdapter of ${this.uses} is not open.`, {
      hint: "A lane opens it when the target is ready; use it in actions and invariants only.",
    });
  }
}
