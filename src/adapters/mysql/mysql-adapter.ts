import type { ResultSetHeader } from "mysql2/promise";
import { SeqqaError } from "../../model/errors.ts";
import type { TableSchema } from "../../model/stores/store-adapter.ts";
import { SqlAdapter, type Choosing } from "../../stores/sql-adapter.ts";
import { connect, disconnect } from "./connect/connect.ts";
import { chooseMode, type MysqlCheckpoint } from "./connect/choose-mode.ts";
import { SharedConnection, type MysqlConnection } from "./savepoint/shared-connection.ts";
import { requireReading } from "./read/looker.ts";
import type { MysqlMode, QueryRow } from "./connect/mode.ts";
import { storeUrl, type StoreUrl } from "./connect/store-url.ts";

/** Options for {@link MysqlAdapter}. */
export interface MysqlAdapterOptions {
  /** The database, as `mysql://user:password@host:port/database`. Messages never show the password. */
  readonly url: string;
  /**
   * The checkpoint mode. Default `auto`: the most suitable mode, see {@link MysqlAdapter.checkpoint}.
   * `journal`: triggers write an undo log.
   * `savepoint`: nested savepoints on {@link MysqlAdapter.connection}, for a target in this process. Every table must support transactions.
   * `copy`: each checkpoint reads the whole database, and a restore writes the differences back. This mode is suitable for small databases, and also
   * restores the schema and AUTO_INCREMENT values. This mode is not possible for a user's own database (`base_url`).
   */
  readonly checkpoint?: MysqlCheckpoint | undefined;
  /** The tables that belong to the state. Changes of other tables are undone by restores, but are not part of states. Default: all tables. */
  readonly tables?: readonly string[] | undefined;
  /**
   * Tables (`events`, `audit_*`) and columns (`orders.seen`, `*.updated_at`) that are not part of the state. In a user's own database (`base_url`),
   * restores do not change these tables and columns.
   */
  readonly ignore?: readonly string[] | undefined;
  /** Columns, as `table.column`, with interchangeable ids. Two states are the same state if they differ only in the choice of these ids. */
  readonly symmetric?: readonly string[] | undefined;
}

/** The store adapter for a MySQL or MariaDB database. */
export class MysqlAdapter extends SqlAdapter<MysqlMode, MysqlCheckpoint, SharedConnection> {
  readonly name = "mysql";
  protected readonly label = "MysqlAdapter";
  protected readonly separate: readonly string[] = ["journal", "copy"];
  readonly #store: StoreUrl;
  #schema: readonly TableSchema[] = [];

  constructor(options: MysqlAdapterOptions) {
    if (typeof options.url !== "string" || options.url === "") {
      throw new SeqqaError("MYSQL_WITHOUT_URL", "A MysqlAdapter was created without the URL of a database: its option url is missing.", {
        hint: "Pass `url: lane.dbUrl`. If lane.dbUrl is undefined, set `db_url` in seqqa.yaml.",
        exitStatus: 2,
      });
    }
    const store = storeUrl(options.url);
    super(options, store.shown);
    this.#store = store;
  }

  protected get isPortable(): boolean {
    return this.wanted !== "savepoint";
  }

  /**
   * The connection for a target in this process. The target can use this object as a pool and as a connection of `mysql2/promise`. Reading this
   * property before the exploration begins chooses the checkpoint mode `savepoint`, unless another mode is configured or a table does not support
   * transactions.
   *
   * @throws SeqqaError `NO_CONNECTION` in the other modes, in which the target uses its own connections.
   */
  get connection(): MysqlConnection {
    return this.shared().asDriver;
  }

  protected async choose(choosing: Choosing<MysqlMode, MysqlCheckpoint, SharedConnection>): ReturnType<typeof chooseMode> {
    const chosen = await chooseMode({ store: this.#store, ...choosing });
    this.#schema = chosen.schema;
    return chosen;
  }

  protected makeShared(): SharedConnection {
    return new SharedConnection(this.#store);
  }

  protected override endShared({ core }: SharedConnection): Promise<void> {
    return core.end();
  }

  protected requireReading(sql: string): void {
    requireReading(sql);
  }

  async spoil(sql: string): Promise<number> {
    // Use the shared connection: a second connection would wait for the locks of the exploring transaction, and not see its rows.
    if (this.checkpoint.mode === "savepoint") return (await this.connection.query<ResultSetHeader>(sql))[0].affectedRows;
    const connection = await connect(this.#store);
    try {
      return (await connection.query<ResultSetHeader>(sql))[0].affectedRows;
    } finally {
      await disconnect(connection);
    }
  }

  /**
   * Executes a query and returns its rows as objects. `params` replace the placeholders `?`. Values have the same types as in `mysql2`, except
   * integers beyond 2^53, which are text.
   *
   * @throws SeqqaError `QUERY_WRITES` for a statement that does more than read.
   */
  override query(sql: string, params: readonly unknown[] = []): Promise<QueryRow[]> {
    return super.query(sql, params);
  }

  schema(): readonly TableSchema[] {
    return this.#schema;
  }
}
