import { SeqqaError } from "../../model/errors.ts";
import type { TableSchema } from "../../model/stores/store-adapter.ts";
import { SqlAdapter, type Choosing } from "../../stores/sql-adapter.ts";
import { USER_SCHEMA } from "./schema/catalog.ts";
import { connect } from "./connect/connect.ts";
import { chooseMode, type PostgresCheckpoint } from "./connect/choose-mode.ts";
import { SharedConnection, type PostgresConnection } from "./savepoint/shared-connection.ts";
import { requireReading } from "./read/looker.ts";
import type { PostgresMode, QueryRow } from "./connect/mode.ts";
import { shownName } from "./connect/sql-text.ts";
import { storeUrl, type StoreUrl } from "./connect/store-url.ts";

/** A partition counts as its partitioned table. */
const TABLES_AND_COLUMNS = `select n.nspname::text as "schema", c.relname::text as "table", a.attname::text as "column"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
 where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence in ('p', 'u') and a.attnum > 0 and not a.attisdropped and ${USER_SCHEMA}
 order by 1, 2, a.attnum`;

/** Options of {@link PostgresAdapter}. */
export interface PostgresAdapterOptions {
  /** `postgresql://user:password@host:port/database`; never shown with its password. */
  readonly url: string;
  /**
   * How the database is restored. `journal`: an undo log by triggers; needs a superuser, or a role that owns all tables and may create a schema. A
   * role that may set `session_replication_role` (`GRANT SET ON PARAMETER`, PostgreSQL 15) restores faster. Without a superuser, FORCE ROW LEVEL
   * SECURITY prevents it. Without that privilege, a foreign key that is NOT VALID does, and one between a table that is restored and one that is
   * ignored. `savepoint`: nested savepoints on {@link PostgresAdapter.connection}, for a target in this process. `clone`: the whole database, by
   * `CREATE DATABASE ... TEMPLATE`, in 0.1 to 0.5 s a step or more; it ends the target's connections, and a user's own database is refused. Default
   * `auto`: the mode that fits, see {@link PostgresAdapter.checkpoint}.
   */
  readonly checkpoint?: PostgresCheckpoint | undefined;
  /** The schemas whose tables belong to the state; the others are restored, but not observed. Default: all. */
  readonly schemas?: readonly string[] | undefined;
  /**
   * The tables that belong to the state, as `table` (of schema `public`) or `schema.table`; the others are restored, but not observed. Default: all.
   */
  readonly tables?: readonly string[] | undefined;
  /**
   * Tables (`events`, `audit_*`) and columns (`orders.seen`, `*.updated_at`) that are not part of the state. In a database of the user's they are
   * left alone.
   */
  readonly ignore?: readonly string[] | undefined;
  /** `table.column`s of ids that are interchangeable, so that states that differ only in their names are one. */
  readonly symmetric?: readonly string[] | undefined;
}

/** A PostgreSQL database behind the API. */
export class PostgresAdapter extends SqlAdapter<PostgresMode, PostgresCheckpoint, SharedConnection> {
  readonly name = "postgres";
  protected readonly label = "PostgresAdapter";
  protected readonly separate: readonly string[] = ["journal", "clone"];
  readonly schemas: readonly string[] | undefined;
  readonly #store: StoreUrl;

  constructor(options: PostgresAdapterOptions) {
    if (typeof options.url !== "string" || options.url === "") {
      throw new SeqqaError("POSTGRES_WITHOUT_URL", "A PostgresAdapter needs the URL of its database.", {
        hint: "Pass `url: lane.dbUrl`; it is undefined when no `db_url` is configured.",
        exitStatus: 2,
      });
    }
    const store = storeUrl(options.url);
    super(options, store.shown);
    this.#store = store;
    this.schemas = options.schemas;
  }

  protected get isPortable(): boolean {
    return this.wanted === "auto" || this.wanted === "journal";
  }

  /**
   * The connection for an in-process target, a `pg.Pool` and a `pg.Client` in one. Taking it before the exploration begins chooses `savepoint`,
   * unless another mode was asked for.
   *
   * @throws SeqqaError `NO_CONNECTION` in the other modes: the target has connections of its own.
   */
  get connection(): PostgresConnection {
    return this.shared().asDriver;
  }

  protected choose(choosing: Choosing<PostgresMode, PostgresCheckpoint, SharedConnection>): ReturnType<typeof chooseMode> {
    return chooseMode({ store: this.#store, schemas: this.schemas, ...choosing });
  }

  protected makeShared(): SharedConnection {
    return new SharedConnection(this.#store);
  }

  protected requireReading(sql: string): void {
    requireReading(sql);
  }

  async schema(): Promise<readonly TableSchema[]> {
    const rows = await this.opened().query(TABLES_AND_COLUMNS, []);
    const tables = new Map<string, string[]>();
    for (const row of rows) {
      const name = shownName(String(row["schema"]), String(row["table"]));
      tables.set(name, [...(tables.get(name) ?? []), String(row["column"])]);
    }
    return [...tables].map(([name, columns]) => ({ name, columns }));
  }

  async spoil(sql: string): Promise<void> {
    const client = await connect(this.#store);
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }

  /**
   * Returns the rows of a query, as objects; `$1`, `$2` ... are replaced by `params`. Values are as `pg` gives them, but `bigint` columns are numbers
   * where those are exact, and `bigint` beyond 2^53.
   *
   * @throws SeqqaError `QUERY_WRITES` for a statement that does more than read.
   */
  override query(sql: string, params: readonly unknown[] = []): Promise<QueryRow[]> {
    return super.query(sql, params);
  }
}
