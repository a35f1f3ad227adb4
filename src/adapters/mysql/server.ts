import type { Connection } from "mysql2/promise";
import { SeqqaError } from "../../model/errors.ts";
import { connect, disconnect, OUR_SETTINGS } from "./connect.ts";
import { isDenied, isLost, lostError, safeCause } from "./failures.ts";
import type { StoreUrl } from "./store-url.ts";

const RETRY_MS = [100, 300, 1000, 3000, 10_000];

/** Rows of one statement, as arrays of text. */
export type Ask = (sql: string) => Promise<(string | null)[][]>;

/**
 * A connection to a server for making and removing databases. When it is lost, another takes its place at once, so that what says
 * that the run is alive is said again.
 */
export class Server {
  readonly store: StoreUrl;
  readonly #connected: (ask: Ask) => Promise<void>;
  #connection: Promise<Connection> | undefined;
  #closed = false;
  #turn: Promise<unknown> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;

  /** `connected` is done on each connection before it is used. */
  constructor(store: StoreUrl, connected: (ask: Ask) => Promise<void> = () => Promise.resolve()) {
    this.store = store;
    this.#connected = connected;
  }

  /** One after the other. */
  use<T>(doing: string, work: (ask: Ask) => Promise<T>): Promise<T> {
    const mine = this.#turn.then(async () => {
      try {
        const connection = await this.#open();
        return await work(asking(connection));
      } catch (error) {
        throw serverError(this.store, doing, error);
      }
    });
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#turn;
    await disconnect(await this.#connection?.catch(() => undefined));
    this.#connection = undefined;
  }

  #open(): Promise<Connection> {
    this.#connection ??= this.#connect().catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    let connected = false;
    const connection = await connect(this.store, {
      serverOnly: true,
      // The session that says that a run is alive must not be ended for being idle.
      settings: [...OUR_SETTINGS, "session wait_timeout = 31536000", "session foreign_key_checks = 0", "session lock_wait_timeout = 60"],
      driver: { rowsAsArray: true, typeCast: (field: { string(): string | null }) => field.string() },
      lost: () => {
        if (connected) this.#lost();
      },
    });
    try {
      await this.#connected(asking(connection));
      connected = true;
      return connection;
    } catch (error) {
      await disconnect(connection);
      throw error;
    }
  }

  #lost(): void {
    this.#connection = undefined;
    if (!this.#closed) this.#reconnect(0);
  }

  #reconnect(attempt: number): void {
    const wait = RETRY_MS[attempt];
    if (wait === undefined) return;
    this.#retry = setTimeout(() => {
      if (!this.#closed) this.use("say that the run is alive", () => Promise.resolve()).catch(() => this.#reconnect(attempt + 1));
    }, wait);
    this.#retry.unref();
  }
}

function asking(connection: Connection): Ask {
  return async (sql) => {
    const [rows] = await connection.query(sql);
    return Array.isArray(rows) ? (rows as (string | null)[][]) : [];
  };
}

/** What went wrong with making or removing a database, in one sentence. */
export function serverError(store: StoreUrl, doing: string, error: unknown): SeqqaError {
  if (error instanceof SeqqaError) return error;
  if (isLost(error)) return lostError(store, error);
  const cause = safeCause(store, error);
  const denied = isDenied(error);
  return new SeqqaError(
    denied ? "STORE_NOT_ALLOWED" : "STORE_NOT_COPIED",
    `The server of ${store.shown} could not ${doing}: ${cause.message}.`,
    {
      hint: denied
        ? "Grant the user CREATE, DROP, TRIGGER and all on `seqqa\\_%`.*; with the binary log on, set log_bin_trust_function_creators = 1."
        : "Look into the server's log.",
      exitStatus: 2,
      cause,
    },
  );
}
