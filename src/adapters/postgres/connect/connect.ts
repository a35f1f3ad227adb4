import type { EventEmitter } from "node:events";
import type pg from "pg";
import type { Client, ClientConfig } from "pg";
import { SeqqaError } from "../../../model/errors.ts";
import { connectError } from "./failures.ts";
import { driverUrl, type StoreUrl } from "./store-url.ts";

/** The oldest supported version. Older catalogs lack generated columns and the identities of dropped objects in event triggers. */
const OLDEST = 120_000;
const CONNECT_MS = 15_000;

/** All settings that change the text form of a value. Rows are logged, read and restored under these settings, whatever the target's sessions use. */
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
 * The settings of the connection that restores. They keep plans and timing constant, and commits do not wait for the disk: a crash loses whole
 * commits only.
 */
export const CONTROL_SETTINGS: Readonly<Record<string, string>> = {
  ...TEXT_SETTINGS,
  standard_conforming_strings: "on",
  client_min_messages: "error",
  jit: "off",
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
 * Limits that a database or role may have, and the version that introduced them. seqqa's sessions are idle for long, and one transaction may last a
 * whole run.
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
  /** `true` to return values as the server's text; default: as the driver parses them. */
  readonly rawText?: boolean | undefined;
  readonly types?: ClientConfig["types"];
  /** Called when the connection is lost while no query is pending. */
  readonly lost?: ((error: Error) => void) | undefined;
}

const RAW = { getTypeParser: () => (text: unknown) => text } as unknown as NonNullable<ClientConfig["types"]>;

/** Opens a connection for seqqa. @throws SeqqaError with a hint and without credentials. */
export async function connect(store: StoreUrl, options: ConnectOptions = {}): Promise<Client> {
  const driver = await importDriver();
  let client: Client;
  try {
    const types = options.rawText === true ? RAW : options.types;
    client = new driver.Client({
      connectionString: driverUrl(store),
      application_name: "seqqa",
      connectionTimeoutMillis: CONNECT_MS,
      ...(types === undefined ? {} : { types }),
    });
    nameDatabase(client, store.database);
    tellStatus(client);
  } catch (error) {
    throw connectError(store, error);
  }
  // Without an error listener, a lost connection would end the process. Pending queries reject in any case.
  client.on("error", (error) => options.lost?.(error));
  try {
    await client.connect();
    const version = await client.query<{ v: string }>("select current_setting('server_version_num') as v");
    if (Number(version.rows[0]?.v) < OLDEST) throw tooOld(store, Number(version.rows[0]?.v));
    const number = Number(version.rows[0]?.v);
    const endless = ENDLESS.filter(([since]) => number >= since).map(([, name]) => [name, "0"] as const);
    await client.query(settingsText({ ...Object.fromEntries(endless), ...options.settings }));
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw connectError(store, error);
  }
}

/**
 * Sets the name of the client's database. pg decodes the name in a URL with `decodeURI`, which does not decode %2F, %3F and %23, and prefers it to
 * the option `database`. A name with such characters can therefore be set only afterwards.
 */
function nameDatabase(client: Client, database: string): void {
  client.database = database;
  (client as unknown as { readonly connectionParameters: { database: string } }).connectionParameters.database = database;
}

/** Adds `getTransactionStatus` to clients of pg before 8.21, which lack it. */
function tellStatus(client: Client): void {
  if (typeof client.getTransactionStatus === "function") return;
  const { connection } = client as unknown as { readonly connection: EventEmitter };
  let status = "I";
  // The order matters: pg's own listener resolves the query, and the caller may then ask for the status at once.
  connection.prependListener("readyForQuery", (message: { readonly status: string }) => void (status = message.status));
  Object.assign(client, { getTransactionStatus: () => status });
}

/** Imports the driver `pg`. @throws SeqqaError `DRIVER_MISSING` */
export async function importDriver(): Promise<typeof pg> {
  try {
    return (await import("pg")).default;
  } catch (cause) {
    throw new SeqqaError("DRIVER_MISSING", "PostgreSQL needs the package pg, which is not installed.", {
      hint: "Install it next to seqqa: npm install --save-dev pg",
      exitStatus: 2,
      cause,
    });
  }
}

function tooOld(store: StoreUrl, version: number): SeqqaError {
  return new SeqqaError(
    "STORE_TOO_OLD",
    `The server of ${store.shown} is PostgreSQL ${Math.floor(version / 10_000)}; 12 or later is needed.`,
    {
      exitStatus: 2,
    },
  );
}
