import type { EventEmitter } from "node:events";
import type pg from "pg";
import type { Client, ClientConfig } from "pg";
import { SeqqaError } from "../../../model/errors.ts";
import { connectError } from "./failures.ts";
import { driverUrl, type StoreUrl } from "./store-url.ts";

/** Oldest version whose catalogs are read here (generated columns, event triggers with identities). */
const OLDEST = 120_000;
const CONNECT_MS = 15_000;

/**
 * Everything that the text form of a value depends on. Rows are logged, read and restored under these settings, whatever the target's sessions use.
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
 * The settings of a connection that restores: no surprise in timing, no wait for the disk (what a crash loses of it, it loses as a whole), no plan
 * made twice.
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
 * Limits that a database or role may have been given, and the version that brought them: our sessions are idle for long, and one transaction may be a
 * whole run.
 */
const ENDLESS: readonly (readonly [since: number, setting: string])[] = [
  [140_000, "idle_session_timeout"],
  [170_000, "transaction_timeout"],
];

/** Returns SET commands for one session, in one text. */
export function settingsText(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `set session ${name} = '${value}'`)
    .join("; ");
}

export interface ConnectOptions {
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Values as the server writes them; default: as the driver parses them. */
  readonly rawText?: boolean | undefined;
  readonly types?: ClientConfig["types"];
  /** Called when the connection is lost while no query is pending. */
  readonly lost?: ((error: Error) => void) | undefined;
}

const RAW = { getTypeParser: () => (text: unknown) => text } as unknown as NonNullable<ClientConfig["types"]>;

/** Opens a connection of ours. @throws SeqqaError that says what to do, without credentials. */
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
  // Without a listener a lost connection would end the process; pending queries reject anyway.
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
 * Sets the name of a client's database. The driver decodes the name in a URL by `decodeURI`, which leaves %2F, %3F, %23 and others as they are, and
 * prefers it to the `database` that it is given. So a name with such characters can only be set afterwards.
 */
function nameDatabase(client: Client, database: string): void {
  client.database = database;
  (client as unknown as { readonly connectionParameters: { database: string } }).connectionParameters.database = database;
}

/** Gives a client of pg before 8.21 the method that returns the status of its transaction. */
function tellStatus(client: Client): void {
  if (typeof client.getTransactionStatus === "function") return;
  const { connection } = client as unknown as { readonly connection: EventEmitter };
  let status = "I";
  // Comes before the driver's own listener, which reports the end of the query to the caller, who may ask for the status at once.
  connection.prependListener("readyForQuery", (message: { readonly status: string }) => void (status = message.status));
  Object.assign(client, { getTransactionStatus: () => status });
}

/** @throws SeqqaError `DRIVER_MISSING` */
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
