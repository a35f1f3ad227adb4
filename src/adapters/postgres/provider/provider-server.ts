import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { SeqqaError } from "../../../model/errors.ts";
import { connect } from "../connect/connect.ts";
import { codeOf, connectError } from "../connect/failures.ts";
import { withDatabase, type StoreUrl } from "../connect/store-url.ts";

/** The longest time, in milliseconds, to wait for a server that is restarting. */
const RESTART_MS = 20_000;
const PAUSE_MS = 200;
const SETTINGS = { statement_timeout: "0", lock_timeout: "0", client_min_messages: "error", search_path: "pg_catalog" };

/**
 * A connection to a server, for creating and dropping databases. The session of the connection holds the lock that shows other runs that this run is
 * alive. Therefore a new connection replaces a lost connection immediately.
 */
export class Server {
  readonly store: StoreUrl;
  readonly #connected: (client: Client) => Promise<void>;
  #client: Promise<Client> | undefined;
  #closed = false;
  #turn: Promise<unknown> = Promise.resolve();
  #known = false;

  constructor(store: StoreUrl, connected: (client: Client) => Promise<void> = () => Promise.resolve()) {
    this.store = store;
    this.#connected = connected;
  }

  /** Calls `work` with the connection, one call at a time, because the driver executes one statement at a time. */
  use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const mine = this.#turn.then(async () => work(await this.#open()));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#turn;
    await (await this.#client?.catch(() => undefined))?.end().catch(() => undefined);
    this.#client = undefined;
  }

  #open(): Promise<Client> {
    this.#client ??= this.#patiently().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  async #patiently(): Promise<Client> {
    for (const until = performance.now() + RESTART_MS; ; await pause(PAUSE_MS)) {
      try {
        return await this.#connect();
      } catch (error) {
        const code = error instanceof SeqqaError ? codeOf(error.cause) : codeOf(error);
        // The error says that the server is starting or stopping, or the server was reachable before and refuses connections now.
        const restarting = /^57P0[123]$/.test(code) || (this.#known && code.startsWith("ECONN"));
        if (!restarting || this.#closed || performance.now() > until) throw error;
      }
    }
  }

  async #connect(): Promise<Client> {
    let connected: Client | undefined;
    const client = await maintenance(this.store, () => {
      if (connected !== undefined) this.#lost();
    });
    try {
      // The session that holds the run's lock is often idle, so turn off the server's limit for idle sessions. Not all versions have this setting.
      await client.query("select set_config(name, '0', false) from pg_settings where name = 'idle_session_timeout'");
      await this.#connected(client);
      connected = client;
      this.#known = true;
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  #lost(): void {
    this.#client = undefined;
    if (!this.#closed) void this.use(() => Promise.resolve()).catch(() => undefined);
  }
}

/**
 * Connects to the database `postgres`. A session on the template would prevent copying it. A session on `template1` would prevent all users from
 * creating databases. If `postgres` cannot be used, connects to the template, which pg_dump then copies.
 */
async function maintenance(store: StoreUrl, lost: () => void): Promise<Client> {
  const options = { rawText: true, lost, settings: SETTINGS };
  try {
    // Messages name the template, because the user does not know why seqqa connects to `postgres`.
    return await connect({ ...withDatabase(store, "postgres"), shown: store.shown }, options);
  } catch (error) {
    const cause = error instanceof SeqqaError ? error.cause : undefined;
    // The database `postgres` does not exist, the role is not allowed to use this database, or a pooler does not serve it. Connect to the template.
    if (["3D000", "42501", "28000", "55000", "08P01"].includes(codeOf(cause))) return connect(store, options);
    if (cause === undefined || (error instanceof SeqqaError && error.code === "DRIVER_MISSING")) throw error;
    throw connectError(store, cause);
  }
}
