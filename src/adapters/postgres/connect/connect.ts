import type { EventEmitter } from "node:events";
import type pg from "pg";
import type { Client, ClientConfig } from "pg";
import { SeqqaError } from "../../../model/errors.ts";
import { connectError } from "./failures.ts";
import { driverUrl, type StoreUrl } from "./store-url.ts";

/**
 * The oldest supported version of PostgreSQL (12). Older versions lack generated columns, and their event triggers do not identify dropped objects.
 */
const OLDEST = 120_000;
const CONNECT_MS = 15_000;

/**
 * All settings that change the text form of a value. seqqa logs, reads and restores rows with these settings, whatever settings the target's sessions
 * have.
 */
export const TEXT_SETTINGS: Readonly<Record<string, string>> = {
  datestyle: "ISO, YMD",
  timezone: "UTC",
  intervalstyle: "postgres",
  extra_float_digits: "1",
  bytea_output: "hex",
  lc_monetary: "C",
  xmloption: "content",
  search_path: "pg_catalog",
  quote_all_identifiers: "off",
};

/**
 * The settings of the connection that makes and restores checkpoints. These settings keep query plans and timing constant. Commits do not wait for
 * the disk: a crash of the server can lose the last transactions, but never a part of a transaction.
 */
export const CONTROL_SETTINGS: Readonly<Record<string, string>> = {
  ...TEXT_SETTINGS,
  standard_conforming_strings: "on",
  client_min_messages: "error",
  plan_cache_mode: "force_generic_plan",
  max_parallel_workers_per_gather: "0",
  enable_seqscan: "off",
  synchronous_commit: "off",
  statement_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  lock_timeout: "1s",
  default_transaction_isolation: "read committed",
  default_transaction_read_only: "off",
  default_transaction_deferrable: "off",
};

/**
 * Time limits that a database or role may set, with the version of PostgreSQL that introduced each limit. seqqa turns the limits off, because its
 * sessions are idle for long and one transaction may last a whole run.
 */
const ENDLESS: readonly (readonly [since: number, setting: string])[] = [
  [140_000, "idle_session_timeout"],
  [170_000, "transaction_timeout"],
];

export function settingsText(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `set session ${name} = '${value}'`)
    .join("; ");
}

export interface ConnectOptions {
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** `true` to return values as the server's text. Default: values as the driver parses them. */
  readonly rawText?: boolean | undefined;
  readonly types?: ClientConfig["types"];
  /** Called when the connection is lost while no query is running. */
  readonly lost?: ((error: Error) => void) | undefined;
}

const RAW = { getTypeParser: () => (text: unknown) => text } as unknown as NonNullable<ClientConfig["types"]>;

/** Opens a connection to the database for seqqa's own use. @throws SeqqaError with a hint and without credentials. */
export async function connect(store: StoreUrl, options: ConnectOptions = {}): Promise<Client> {
  const driver = await importDriver();
  let client: Client;
  try {
    client = newClient(driver, store, options);
  } catch (error) {
    throw connectError(store, error);
  }
  try {
    await client.connect();
    const { rows } = await client.query<{ v: string; pid: string; standby: string }>(
      "select current_setting('server_version_num') as v, pg_backend_pid()::text as pid, pg_is_in_recovery()::text as standby",
    );
    const { v, pid, standby } = rows[0]!;
    const number = Number(v);
    if (number < OLDEST) throw tooOld(store, number);
    if (standby === "true") throw isStandby(store);
    // A connection pooler sends a process id of its own instead of the server's process id.
    const isDirect = (client as unknown as { readonly processID: number | null }).processID === Number(pid);
    // Do this check before all settings: through a pooler, the settings would also apply to sessions of other clients.
    if (!isDirect && (await sharesSessions(client, newClient(driver, store)))) throw isPooled(store);
    const endless = ENDLESS.filter(([since]) => number >= since).map(([, name]) => [name, "0"] as const);
    // Compiling a query of the catalog takes several times as long as executing it.
    await client.query(settingsText({ jit: "off", ...Object.fromEntries(endless), ...options.settings }));
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw connectError(store, error);
  }
}

function newClient(driver: typeof pg, store: StoreUrl, { rawText, types, lost }: ConnectOptions = {}): Client {
  const parsers = rawText === true ? RAW : types;
  const client = new driver.Client({
    connectionString: driverUrl(store),
    application_name: "seqqa",
    connectionTimeoutMillis: CONNECT_MS,
    ...(parsers === undefined ? {} : { types: parsers }),
  });
  nameDatabase(client, store.database);
  tellStatus(client);
  // An `error` event without a listener would end the process. Pending queries reject with the same error.
  client.on("error", (error) => lost?.(error));
  return client;
}

/** The number of comparisons in {@link sharesSessions}. A single comparison can fail to detect a pooler while other clients use the pooler. */
const COMPARISONS = 5;

/**
 * Returns `true` if the connection leads to a pooler that assigns each transaction to any free session of the server. Two clients then use one
 * session, or one client uses several sessions. `second`: a client that is not connected yet. This function closes `second` at the end.
 */
async function sharesSessions(first: Client, second: Client): Promise<boolean> {
  const session = async (client: Client): Promise<string | undefined> =>
    (await client.query<{ pid: string }>("select pg_backend_pid()::text as pid")).rows[0]?.pid;
  try {
    await second.connect();
    for (let i = 0; i < COMPARISONS; i++) {
      const own = await session(first);
      await second.query("begin");
      if ((await session(second)) === own || (await session(first)) !== own) return true;
      await second.query("commit");
    }
    return false;
  } finally {
    await second.end().catch(() => undefined);
  }
}

/**
 * Sets the name of the database to which the client connects. pg decodes the name in a URL with `decodeURI`, which does not decode %2F, %3F and %23.
 * If there is a URL, pg also ignores the option `database`. A name with such characters can therefore be set only on the finished client.
 */
function nameDatabase(client: Client, database: string): void {
  client.database = database;
  (client as unknown as { readonly connectionParameters: { database: string } }).connectionParameters.database = database;
}

/** Adds the method `getTransactionStatus` to clients of pg before 8.21, which lack it. */
function tellStatus(client: Client): void {
  if (typeof client.getTransactionStatus === "function") return;
  const { connection } = client as unknown as { readonly connection: EventEmitter };
  let status = "I";
  // Run this listener before the listener of pg. The listener of pg resolves the query, and the caller may ask for the status immediately.
  connection.prependListener("readyForQuery", (message: { readonly status: string }) => void (status = message.status));
  Object.assign(client, { getTransactionStatus: () => status });
}

/** Imports the driver `pg`. @throws SeqqaError `DRIVER_MISSING` */
export async function importDriver(): Promise<typeof pg> {
  try {
    return (await import("pg")).default;
  } catch (cause) {
    throw new SeqqaError("DRIVER_MISSING", "seqqa needs the package pg for a PostgreSQL store, but the package is not installed.", {
      hint: "Run in your project: npm install --save-dev pg",
      exitStatus: 2,
      cause,
    });
  }
}

function tooOld(store: StoreUrl, version: number): SeqqaError {
  return new SeqqaError(
    "STORE_TOO_OLD",
    `The server of ${store.shown} is PostgreSQL ${Math.floor(version / 10_000)}, but seqqa needs PostgreSQL 12 or later.`,
    {
      hint: "Name a newer server in the store's URL.",
      exitStatus: 2,
    },
  );
}

function isStandby(store: StoreUrl): SeqqaError {
  return new SeqqaError(
    "STORE_NOT_WRITABLE",
    `The server of ${store.shown} is a standby, which is read-only. seqqa must write to the database.`,
    {
      hint: "Name the primary server in the store's URL.",
      exitStatus: 2,
    },
  );
}

function isPooled(store: StoreUrl): SeqqaError {
  return new SeqqaError(
    "STORE_UNSUPPORTED",
    `${store.shown} is behind a connection pooler that pools transactions. Settings and locks of seqqa would reach other clients of this pooler.`,
    {
      hint: "Name the server itself in the store's URL, with its direct port (Supabase: 5432 instead of 6543), or set the pooler to session pooling (PgBouncer: pool_mode = session).",
      exitStatus: 2,
    },
  );
}
