import { setTimeout as pause } from "node:timers/promises";
import type { Connection } from "mysql2/promise";
import { SeqqaError } from "../../../model/errors.ts";
import { afterLoss } from "../../../stores/connect/after-loss.ts";
import { connect, disconnect, OUR_SETTINGS } from "./connect.ts";
import { errnoOf, isDenied, isLost, lostError, safeCause } from "./failures.ts";
import type { StoreUrl } from "./store-url.ts";

const RETRY_MS = [100, 300, 1000, 3000, 10_000];
/** The longest time, in milliseconds, to wait for a server that is restarting. */
const RESTART_MS = 20_000;
const PAUSE_MS = 200;
/** Connection options for rows as arrays of text. */
const PLAIN = { serverOnly: true, driver: { rowsAsArray: true, typeCast: (field: { string(): string | null }) => field.string() } };

/** Executes one SQL statement and returns its rows as arrays of text. */
export type Ask = (sql: string) => Promise<(string | null)[][]>;

/** Calls `work` with a second connection. The second connection is needed while a statement on the main connection waits. */
export type Beside = (work: (ask: Ask) => Promise<void>) => Promise<void>;

/**
 * A connection to a server, for creating and dropping databases. The session of the connection holds the lock that shows other runs that this run is
 * alive. Therefore a new connection replaces a lost connection immediately.
 */
export class Server {
  readonly store: StoreUrl;
  readonly #connected: (ask: Ask) => Promise<void>;
  #connection: Promise<Connection> | undefined;
  #live: Connection | undefined;
  #closed = false;
  #turn: Promise<unknown> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;
  #known = false;

  constructor(store: StoreUrl, connected: (ask: Ask) => Promise<void> = () => Promise.resolve()) {
    this.store = store;
    this.#connected = connected;
  }

  /**
   * Calls `work` with the connection, one call at a time. If the connection is lost, calls `work` again. `work` must therefore first remove the
   * remains of an interrupted call.
   */
  use<T>(doing: string, work: (ask: Ask, beside: Beside) => Promise<T>): Promise<T> {
    const mine = this.#turn.then(async () => {
      try {
        return await afterLoss(() => this.#once(work), wasEnded);
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

  async #once<T>(work: (ask: Ask, beside: Beside) => Promise<T>): Promise<T> {
    const connection = await this.#open();
    try {
      return await work(asking(connection), this.#beside);
    } catch (error) {
      // mysql2 reports the end of a session only to the running statement, not to the listener of `error` events.
      if (wasEnded(error)) {
        connection.destroy();
        if (this.#live === connection) this.#connection = this.#live = undefined;
      }
      throw error;
    }
  }

  #open(): Promise<Connection> {
    this.#connection ??= this.#patiently().catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  async #patiently(): Promise<Connection> {
    for (const until = performance.now() + RESTART_MS; ; await pause(PAUSE_MS)) {
      try {
        return await this.#connect();
      } catch (error) {
        // If the server was reachable before, it is probably restarting. Try again.
        const gone = this.#known && isLost(error instanceof SeqqaError ? error.cause : error);
        if (!gone || this.#closed || performance.now() > until) throw error;
      }
    }
  }

  readonly #beside: Beside = async (work) => {
    const connection = await connect(this.store, { ...PLAIN, settings: OUR_SETTINGS });
    try {
      await work(asking(connection));
    } finally {
      await disconnect(connection);
    }
  };

  async #connect(): Promise<Connection> {
    let connected: Connection | undefined;
    const connection = await connect(this.store, {
      ...PLAIN,
      settings: [...OUR_SETTINGS, "session foreign_key_checks = 0", "session lock_wait_timeout = 60"],
      lost: () => {
        if (connected !== undefined && this.#live === connected) this.#lost();
      },
    });
    try {
      await this.#connected(asking(connection));
      this.#live = connected = connection;
      this.#known = true;
      return connection;
    } catch (error) {
      await disconnect(connection);
      throw error;
    }
  }

  #lost(): void {
    this.#connection = this.#live = undefined;
    if (!this.#closed) this.#reconnect(0);
  }

  #reconnect(attempt: number): void {
    const wait = RETRY_MS[attempt];
    if (wait === undefined) return;
    this.#retry = setTimeout(() => {
      if (!this.#closed) this.use("record that the run is alive", () => Promise.resolve()).catch(() => this.#reconnect(attempt + 1));
    }, wait);
    this.#retry.unref();
  }
}

/**
 * Returns `true` if the connection was lost, or another session killed this session or its statement. MySQL reports error 1317 both for a killed
 * session and for a killed statement.
 */
function wasEnded(error: unknown): boolean {
  return !(error instanceof SeqqaError) && (isLost(error) || errnoOf(error) === 1317);
}

function asking(connection: Connection): Ask {
  return async (sql) => {
    const [rows] = await connection.query(sql);
    return Array.isArray(rows) ? (rows as (string | null)[][]) : [];
  };
}

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
        ? "Grant the user CREATE, DROP and TRIGGER, and all privileges on the databases that seqqa creates for lanes: GRANT ALL ON `seqqa\\_%`.* TO <user>. If the binary log is on, also set log_bin_trust_function_creators = 1."
        : "Read the log of the MySQL server.",
      exitStatus: 2,
      cause,
    },
  );
}
