import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { SeqqaError } from "../../../model/errors.ts";
import { connect } from "../connect/connect.ts";
import { codeOf, connectError } from "../connect/failures.ts";
import { withDatabase, type StoreUrl } from "../connect/store-url.ts";

/** Milliseconds to wait for a server that is being restarted. */
const RESTART_MS = 20_000;
const PAUSE_MS = 200;
const SETTINGS = { statement_timeout: "0", lock_timeout: "0", client_min_messages: "error", search_path: "pg_catalog" };

/**
 * A connection to a server for making and removing databases. When it is lost, another one replaces it at once, so that the sign that the run is
 * alive is given again.
 */
export class Server {
  readonly store: StoreUrl;
  readonly #connected: (client: Client) => Promise<void>;
  #client: Promise<Client> | undefined;
  #closed = false;
  #turn: Promise<unknown> = Promise.resolve();
  #known = false;

  /** `connected` is called with each connection before it is used. */
  constructor(store: StoreUrl, connected: (client: Client) => Promise<void> = () => Promise.resolve()) {
    this.store = store;
    this.#connected = connected;
  }

  /** Does one piece of work after the other: the driver takes one statement at a time. */
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
        // The server starts or stops; or it is gone, although it was there.
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
      // Not all versions have this setting. The session that shows that a run is alive must not be ended for being idle.
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
 * Connects beside the template: a session on it would keep the server from copying it, and one on `template1` would keep everybody else from making
 * databases. Without a database `postgres` for us, the template has to do, and is copied by pg_dump.
 */
async function maintenance(store: StoreUrl, lost: () => void): Promise<Client> {
  const options = { rawText: true, lost, settings: SETTINGS };
  try {
    return await connect(withDatabase(store, "postgres"), options);
  } catch (error) {
    const cause = error instanceof SeqqaError ? error.cause : undefined;
    // The database does not exist, or we may not use it.
    if (["3D000", "42501", "28000", "55000"].includes(codeOf(cause))) return connect(store, options);
    if (cause === undefined || (error instanceof SeqqaError && error.code === "DRIVER_MISSING")) throw error;
    // The error is about the template, not about the database beside it.
    throw connectError(store, cause);
  }
}
