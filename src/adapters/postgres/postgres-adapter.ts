import { SeqqaError } from "../../model/errors.ts";
import type { DeclaredReference, TableCounter, TableSchema } from "../../model/stores/store-adapter.ts";
import { SqlAdapter, type Choosing } from "../../stores/sql-adapter.ts";
import { SEQUENCE_USERS, USER_SCHEMA } from "./schema/catalog.ts";
import { connect } from "./connect/connect.ts";
import { chooseMode, type PostgresCheckpoint } from "./connect/choose-mode.ts";
import { SharedConnection, type PostgresConnection } from "./savepoint/shared-connection.ts";
import { requireReading } from "./read/looker.ts";
import type { PostgresMode, QueryRow } from "./connect/mode.ts";
import { shownName } from "./connect/sql-text.ts";
import { storeUrl, type StoreUrl } from "./connect/store-url.ts";

/**
 * A query for the columns of all tables, and for the columns to which foreign keys of one column refer. Partitions are left out, because states show
 * their rows under the partitioned table.
 */
const TABLES_AND_COLUMNS = `select n.nspname::text as "schema", c.relname::text as "table", a.attname::text as "column",
       fn.nspname::text as "toSchema", f.relname::text as "toTable", fa.attname::text as "toColumn"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
       left join lateral (select confrelid, confkey from pg_constraint k where k.conrelid = c.oid and k.contype = 'f' and k.conkey = array[a.attnum]
                          order by conname limit 1) k on true
       left join pg_class f on f.oid = k.confrelid left join pg_namespace fn on fn.oid = f.relnamespace
       left join pg_attribute fa on fa.attrelid = f.oid and fa.attnum = k.confkey[1]
 where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence in ('p', 'u') and a.attnum > 0 and not a.attisdropped and ${USER_SCHEMA}
 order by 1, 2, a.attnum`;

/** A query for the sequences that exactly one column uses, and whose values this column stores unchanged. */
const COUNTERS = `select tn.nspname::text as "schema", c.relname::text as "table", a.attname::text as "column",
       n.nspname::text as "ofSchema", s.relname::text as "counter",
       (select q.seqcycle or q.seqmax < 1000000000 from pg_sequence q where q.seqrelid = s.oid) as "isShort"
  from pg_class s join pg_namespace n on n.oid = s.relnamespace
       join lateral (select min(x.rel) as rel, min(x.num) as num from (${SEQUENCE_USERS("s.oid")}) x
                     having count(distinct (x.rel, x.num)) = 1 and bool_and(x.plain is true) and min(x.rel) is not null) u on true
       join pg_class c on c.oid = coalesce(pg_partition_root(u.rel), u.rel) join pg_namespace tn on tn.oid = c.relnamespace
       join pg_attribute a on a.attrelid = u.rel and a.attnum = u.num
 where s.relkind = 'S' and ${USER_SCHEMA}`;

/** A query for the tables that own or use a sequence. */
const SEQUENCE_TABLES = `select distinct tn.nspname::text as "schema", c.relname::text as "table", n.nspname::text as "ofSchema", s.relname::text as "counter"
  from pg_class s join pg_namespace n on n.oid = s.relnamespace cross join lateral (${SEQUENCE_USERS("s.oid")}) u
       join pg_class c on c.oid = coalesce(pg_partition_root(u.rel), u.rel) join pg_namespace tn on tn.oid = c.relnamespace
 where s.relkind = 'S' and ${USER_SCHEMA} order by 3, 4`;

/** Options for {@link PostgresAdapter}. */
export interface PostgresAdapterOptions {
  /** The database, as `postgresql://user:password@host:port/database`. Messages never show the password. */
  readonly url: string;
  /**
   * The checkpoint mode. Default `auto`: the most suitable mode, see {@link PostgresAdapter.checkpoint}.
   * `journal`: triggers write an undo log. This mode needs a superuser, or a role that owns all tables and may create a schema. The privilege to set
   * `session_replication_role` (`GRANT SET ON PARAMETER`, PostgreSQL 15) makes restores faster. Tables with FORCE ROW LEVEL SECURITY need a superuser
   * or a role with BYPASSRLS. Foreign keys that are NOT VALID, or that connect a restored table with an ignored table, need the privilege to set
   * `session_replication_role`.
   * `savepoint`: nested savepoints on {@link PostgresAdapter.connection}, for a target in this process.
   * `clone`: each step copies the whole database with `CREATE DATABASE ... TEMPLATE`. A copy takes 0.1 to 0.5 s, or longer if the database is large.
   * Each copy ends the target's connections. This mode is not possible for a user's own database (`base_url`).
   */
  readonly checkpoint?: PostgresCheckpoint | undefined;
  /**
   * The schemas whose tables belong to the state. Changes of tables in other schemas are undone by restores, but are not part of states. Default: all
   * schemas.
   */
  readonly schemas?: readonly string[] | undefined;
  /**
   * The tables that belong to the state, as `table` (in the schema `public`) or `schema.table`. Changes of other tables are undone by restores, but
   * are not part of states. Default: all tables.
   */
  readonly tables?: readonly string[] | undefined;
  /**
   * Tables (`events`, `audit_*`) and columns (`orders.seen`, `*.updated_at`) that are not part of the state. In a user's own database (`base_url`),
   * restores do not change these tables and columns.
   */
  readonly ignore?: readonly string[] | undefined;
  /** Columns, as `table.column`, with interchangeable ids. Two states are the same state if they differ only in the choice of these ids. */
  readonly symmetric?: readonly string[] | undefined;
}

/** The store adapter for a PostgreSQL database. */
export class PostgresAdapter extends SqlAdapter<PostgresMode, PostgresCheckpoint, SharedConnection> {
  readonly name = "postgres";
  protected readonly label = "PostgresAdapter";
  protected readonly separate: readonly string[] = ["journal", "clone"];
  readonly schemas: readonly string[] | undefined;
  readonly #store: StoreUrl;

  constructor(options: PostgresAdapterOptions) {
    if (typeof options.url !== "string" || options.url === "") {
      throw new SeqqaError(
        "POSTGRES_WITHOUT_URL",
        "A PostgresAdapter was created without the URL of a database: its option url is missing.",
        {
          hint: "Pass `url: lane.dbUrl`. If lane.dbUrl is undefined, set `db_url` in seqqa.yaml.",
          exitStatus: 2,
        },
      );
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
   * The connection for a target in this process. The target can use this object as a `pg.Pool` and as a `pg.Client`. Reading this property before the
   * exploration begins chooses the checkpoint mode `savepoint`, unless another mode is configured.
   *
   * @throws SeqqaError `NO_CONNECTION` in the other modes, in which the target uses its own connections.
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
    const tables = new Map<
      string,
      {
        readonly columns: string[];
        readonly references: DeclaredReference[];
        readonly counters: TableCounter[];
        readonly usesCounters: string[];
      }
    >();
    for (const row of rows) {
      const name = shownName(String(row["schema"]), String(row["table"]));
      const column = String(row["column"]);
      const table = tables.get(name) ?? { columns: [], references: [], counters: [], usesCounters: [] };
      tables.set(name, table);
      table.columns.push(column);
      if (row["toColumn"] === null) continue;
      const to = { table: shownName(String(row["toSchema"]), String(row["toTable"])), column: String(row["toColumn"]) };
      table.references.push({ column, to, isChecked: true });
    }
    for (const row of await this.opened().query(COUNTERS, [])) {
      const name = shownName(String(row["ofSchema"]), String(row["counter"]));
      const table = tables.get(shownName(String(row["schema"]), String(row["table"])));
      table?.counters.push({ name, column: String(row["column"]), shows: "next", ...(row["isShort"] === true && { isShort: true }) });
    }
    for (const row of await this.opened().query(SEQUENCE_TABLES, [])) {
      const table = tables.get(shownName(String(row["schema"]), String(row["table"])));
      table?.usesCounters.push(shownName(String(row["ofSchema"]), String(row["counter"])));
    }
    return [...tables].map(([name, { columns, references, counters, usesCounters }]) => ({
      name,
      columns,
      ...(references.length > 0 && { references }),
      ...(counters.length > 0 && { counters }),
      ...(usesCounters.length > 0 && { usesCounters }),
    }));
  }

  async spoil(sql: string): Promise<number> {
    // Use the shared connection: a second connection would wait for the locks of the exploring transaction, and not see its rows.
    if (this.checkpoint.mode === "savepoint") return (await this.connection.query(sql)).rowCount ?? 0;
    const client = await connect(this.#store);
    try {
      return (await client.query(sql)).rowCount ?? 0;
    } finally {
      await client.end();
    }
  }

  /**
   * Executes a query and returns its rows as objects. `params` replace `$1`, `$2` and so on. Values have the same types as in `pg`, except values of
   * `bigint` columns: up to 2^53 they are numbers, and beyond 2^53 they are `bigint`.
   *
   * @throws SeqqaError `QUERY_WRITES` for a statement that does more than read.
   */
  override query(sql: string, params: readonly unknown[] = []): Promise<QueryRow[]> {
    return super.query(sql, params);
  }
}
