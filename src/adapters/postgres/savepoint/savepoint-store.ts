import type { Client } from "pg";
import { readCatalog, rowsOf, type Catalog, type Table } from "../schema/catalog.ts";
import { catalogDifference, catalogText, type CatalogText } from "../schema/catalog-text.ts";
import { schemaChanged } from "../connect/failures.ts";
import { TEXT_SETTINGS } from "../connect/connect.ts";
import { showsNames } from "../read/user-path.ts";
import type { Queryable } from "../connect/mode.ts";
import { RowSums } from "../../../stores/journal/multiset-mirror.ts";
import { cannotSavepoint } from "./savepoint-failures.ts";
import { LOG, logStatements, removeLog } from "./savepoint-log.ts";
import { quoteText } from "../connect/sql-text.ts";
import type { StoreUrl } from "../connect/store-url.ts";

const RAW = { getTypeParser: () => (text: unknown) => text };

/**
 * Wraps the shared connection so that queries return the server's text. The wrapper does not use the parsers that the target has set for the
 * connection.
 */
export function raw(client: Client): Queryable {
  return { query: (config) => client.query({ ...config, types: RAW } as never) };
}

/** The longest time, in milliseconds, to wait for the table locks that creating the triggers needs. */
export const LOCK_LIMIT_MS = 5000;

/**
 * Calls `work` with other settings in the target's session, and then sets the old values again. If `work` fails, the rollback resets the settings.
 */
async function underSettings<T>(client: Client, settings: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
  const names = Object.keys(settings);
  const [before = []] = await rowsOf<string[]>(
    raw(client),
    `select ${names.map((name) => `current_setting(${quoteText(name)})`).join(", ")}`,
  );
  const set = (values: readonly string[]): string =>
    `select ${names.map((name, i) => `set_config(${quoteText(name)}, ${quoteText(values[i] ?? "")}, false)`).join(", ")}`;
  await client.query(set(Object.values(settings)));
  const result = await work();
  await client.query(set(before));
  return result;
}

export interface Reading {
  readonly changes: RowSums;
  readonly counters: string;
  readonly read: string;
  readonly signal: Signal;
}

/**
 * Two counts of rows that this session has written: in the system catalogs, and in relations that fire no triggers (large objects, materialized
 * views). Every change of the schema changes the first count. Rolled back writes also count.
 */
export type Signal = string;

/** The undo log on the shared connection, and the schema at the time when the log's triggers were created. */
export class SavepointStore {
  readonly catalog: Catalog;
  /** The quoted names of constraints that are INITIALLY DEFERRED. */
  readonly deferred: readonly string[];
  readonly #store: StoreUrl;
  readonly #client: Client;
  readonly #schema: CatalogText;
  readonly #index: ReadonlyMap<string, number>;

  private constructor(store: StoreUrl, client: Client, catalog: Catalog, deferred: readonly string[], schema: CatalogText) {
    this.#store = store;
    this.#client = client;
    this.catalog = catalog;
    this.deferred = deferred;
    this.#schema = schema;
    this.#index = new Map(catalog.tables.map(({ oid }, i) => [oid, i]));
  }

  /** Creates the undo log and its triggers, as the role that connected. */
  static async install(store: StoreUrl, client: Client): Promise<SavepointStore> {
    return underSettings(client, { ...TEXT_SETTINGS, role: "none", lock_timeout: `${LOCK_LIMIT_MS}ms` }, async () => {
      const asText = raw(client);
      await client.query(removeLog);
      const catalog = await readCatalog(asText);
      await requirePrivileges(store, asText, catalog);
      await client.query(logStatements(catalog, await unloggedRelations(store, asText)).join(";\n"));
      return new SavepointStore(store, client, catalog, await deferredConstraints(store, asText), await catalogText(asText, true));
    });
  }

  /** Checks that the schema is the same as when the triggers were created. @throws SeqqaError `SCHEMA_CHANGED` */
  async requireSameSchema(before: Signal, now: Signal): Promise<void> {
    const difference = (await this.schemaDifference()) ?? (await this.#unlogged(before, now));
    if (difference !== undefined) throw schemaChanged(this.#store, difference);
  }

  async schemaDifference(): Promise<string | undefined> {
    const now = await underSettings(this.#client, TEXT_SETTINGS, () => catalogText(raw(this.#client), true));
    return catalogDifference(this.#schema, now);
  }

  /** Returns a description of rows that may have changed without firing triggers, or `undefined` if there are no such rows. */
  async #unlogged(before: Signal, now: Signal): Promise<string | undefined> {
    if (before.split(" ")[1] === now.split(" ")[1]) return undefined;
    const [row] = await rowsOf(
      raw(this.#client),
      "select from pg_catalog.pg_largeobject_metadata union all select from pg_catalog.pg_class where relkind = 'm' limit 1",
    );
    return row && "large objects or the rows of a materialized view, whose changes fire no triggers";
  }

  /** Executes SQL statements that restore a state, and returns the signal afterwards. */
  async signalAfter(statements: readonly string[]): Promise<Signal> {
    const text = [...statements, "select pg_temp.seqqa_signal()"].join("; ");
    const results = await raw(this.#client).query({ text, rowMode: "array" });
    return (results as unknown as readonly { readonly rows: readonly [Signal][] }[]).at(-1)!.rows[0]![0];
  }

  async read(after: string): Promise<Reading> {
    type Entry = readonly [id: string, rel: string, before: string | null, now: string | null];
    const entries = await rowsOf<Entry>(raw(this.#client), `select * from pg_temp.seqqa_read(${after})`);
    const changes = new RowSums();
    for (let i = 1; i < entries.length; i++) {
      const [, rel, before, now] = entries[i]!;
      const table = this.#index.get(rel);
      if (table === undefined) throw schemaChanged(this.#store, "a table was created");
      if (before !== null) changes.add(table, before, -1);
      if (now !== null) changes.add(table, now, 1);
    }
    const last = entries[entries.length - 1]!;
    return { changes, counters: entries[0]![2] ?? "{}", read: entries.length > 1 ? last[0] : after, signal: entries[0]![3]! };
  }

  async rowsOf(table: Table): Promise<string[]> {
    const routine = showsNames(table) ? "seqqa_named_rows" : "seqqa_rows";
    const rows = await rowsOf<[string]>(raw(this.#client), `select * from pg_temp.${routine}(${quoteText(table.sqlName)})`);
    return rows.map(([row]) => row);
  }

  async empty(): Promise<void> {
    await this.#client.query(`truncate ${LOG}`);
  }

  /**
   * Returns SQL statements that set all sequences to the values of an earlier read. Returns no statements if there are no sequences. The statements
   * run after a rollback. The rollback may have undone TRUNCATE ... RESTART IDENTITY, so the statements read the current values again.
   */
  static putCounters(wanted: string): string[] {
    return wanted === "{}" ? [] : [`select pg_temp.seqqa_put(${quoteText(wanted)})`];
  }

  async remove(): Promise<void> {
    await this.#client.query(`reset role; ${removeLog}`);
  }
}

/** Returns the oids of relations that fire no triggers. @throws SeqqaError if the server does not count the rows that a session writes */
async function unloggedRelations(store: StoreUrl, client: Queryable): Promise<string[]> {
  const rows = await rowsOf<[oid: string, counts: string]>(
    client,
    `select oid, current_setting('track_counts') from pg_class
      where relkind = 'm' or oid in ('pg_largeobject'::regclass, 'pg_largeobject_metadata'::regclass)`,
  );
  if (rows.some(([, counts]) => counts !== "on"))
    throw cannotSavepoint(store, "the server's setting track_counts is off, so seqqa would not notice a changed schema");
  return rows.map(([oid]) => oid);
}

async function requirePrivileges(store: StoreUrl, client: Queryable, { tables, sequences }: Catalog): Promise<void> {
  const nameOf = (all: readonly { readonly oid: string; readonly name: string }[], found: string): string =>
    all.find(({ oid }) => oid === found)?.name ?? found;
  const oids = (all: readonly { readonly oid: string }[]): string => `array[${all.map(({ oid }) => oid).join(", ")}]::oid[]`;
  const [table] = await rowsOf<[string]>(
    client,
    `select c.oid from pg_class c where c.oid = any(${oids(tables)}) and not pg_has_role(c.relowner, 'usage') limit 1`,
  );
  if (table !== undefined)
    throw cannotSavepoint(
      store,
      `the role in the store's URL does not own the table ${nameOf(tables, table[0])}, so seqqa cannot record changes of this table`,
    );
  const [sequence] = await rowsOf<[string]>(
    client,
    `select o from unnest(${oids(sequences)}) o where not has_sequence_privilege(o, 'select') or not has_sequence_privilege(o, 'update') limit 1`,
  );
  if (sequence !== undefined)
    throw cannotSavepoint(store, `the role in the store's URL is not allowed to set the sequence ${nameOf(sequences, sequence[0])}`);
}

/** Returns the quoted names of constraints that are INITIALLY DEFERRED. @throws SeqqaError if a constraint with the same name is not deferred */
async function deferredConstraints(store: StoreUrl, client: Queryable): Promise<string[]> {
  const rows = await rowsOf<[name: string, all: string]>(
    client,
    `select quote_ident(n.nspname) || '.' || quote_ident(k.conname), bool_and(k.condeferred)::text
       from pg_constraint k join pg_namespace n on n.oid = k.connamespace
      group by n.nspname, k.conname having bool_or(k.condeferred) order by 1`,
  );
  const mixed = rows.find(([, all]) => all !== "true");
  if (mixed !== undefined)
    throw cannotSavepoint(store, `several constraints are named ${mixed[0]}, but only some of them are initially deferred`);
  return rows.map(([name]) => name);
}
