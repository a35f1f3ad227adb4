import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { SeqqaError } from "../../../model/errors.ts";
import { inUseError } from "../../../stores/connect/store-errors.ts";
import { rowsOf } from "../schema/catalog.ts";
import { BUSY_LIMIT_MS, busyError, codeOf, isBusy, isLost, lostError, safeCause } from "../connect/failures.ts";
import { databaseNames, dropDatabase } from "../provider/provider-drop.ts";
import { runOf } from "../provider/provider-names.ts";
import { Server } from "../provider/provider-server.ts";
import { quoteName, quoteText } from "../connect/sql-text.ts";
import type { StoreUrl } from "../connect/store-url.ts";
import { templateSettings } from "../provider/template-settings.ts";

/**
 * The first key of the advisory lock of a run that clones a database: the letters `seqc` as a number. The second key is a hash of the database's
 * name.
 */
const LOCKS = 1936027747;
const IN_USE_MS = 1500;

/** Copies a database, and replaces it by one of its copies. Uses a connection to another database of the same server. */
export class CloneServer {
  readonly store: StoreUrl;
  readonly prefix: string;
  readonly #server: Server;
  #properties: readonly string[] = [];
  #options = "";
  #made = 0;

  private constructor(store: StoreUrl) {
    this.store = store;
    const digest = createHash("sha256").update(store.database).digest("hex");
    // Copies of a lane's own database get a name that contains the run's id. The code that removes the databases of a run then also removes these
    // copies.
    this.prefix = runOf(store.database) === undefined ? `seqqa_clone_${digest.slice(0, 16)}_` : `${store.database}_c`;
    const lock = Number.parseInt(digest.slice(0, 7), 16);
    this.#server = new Server(store, (client) => takeLock(client, store, lock));
  }

  /** Connects to the server and takes the lock of the database. @throws SeqqaError `STORE_IN_USE` while another run clones this database */
  static async open(store: StoreUrl): Promise<CloneServer> {
    const server = new CloneServer(store);
    try {
      await server.#use(() => Promise.resolve());
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** Reads the properties of the database that CREATE DATABASE does not copy: owner, connection limit, settings and comment. */
  async readProperties(): Promise<void> {
    const { database } = this.store;
    await this.#use(async (client) => {
      const [row] = await rowsOf<[string, string, string, string | null]>(
        client,
        `select r.rolname, r.rolname = current_user, d.datconnlimit, shobj_description(d.oid, 'pg_database')
           from pg_database d join pg_roles r on r.oid = d.datdba where d.datname = ${quoteText(database)}`,
      );
      if (row === undefined) return;
      const [owner, own, limit, comment] = row;
      this.#options = `${own === "t" ? "" : ` owner ${quoteName(owner)}`} connection limit ${Number(limit)}`;
      const temporary = this.#temporary;
      this.#properties = [
        ...(await templateSettings(client, database, temporary)),
        ...(comment === null ? [] : [`comment on database ${quoteName(temporary)} is ${quoteText(comment)}`]),
      ];
    });
  }

  /** Ends all sessions of the database and copies the database. Returns the name of the copy. */
  async take(): Promise<string> {
    const name = `${this.prefix}${++this.#made}`;
    await this.#alone((client) => client.query(`create database ${quoteName(name)} template ${quoteName(this.store.database)}`));
    return name;
  }

  /** Ends all sessions of the database and replaces the database by a new copy of the database `name`. */
  async put(name: string): Promise<void> {
    const { database } = this.store;
    await this.#use(async (client) => {
      await dropDatabase(client, this.store, this.#temporary);
      await client.query(`create database ${quoteName(this.#temporary)} template ${quoteName(name)}${this.#options}`);
      for (const statement of this.#properties) await client.query(statement);
    });
    await this.#use(async (client) => {
      if ((await databaseNames(client)).includes(database)) await this.#shut(client);
      await dropDatabase(client, this.store, database);
    });
    await this.#use((client) => client.query(`alter database ${quoteName(this.#temporary)} rename to ${quoteName(database)}`));
  }

  async copies(): Promise<string[]> {
    return this.#use(async (client) => (await databaseNames(client)).filter((name) => name.startsWith(this.prefix)));
  }

  async drop(names: readonly string[]): Promise<void> {
    await this.#use(async (client) => {
      for (const name of names) if (name.startsWith(this.prefix)) await dropDatabase(client, this.store, name);
    });
  }

  /**
   * Waits until no session has an open write transaction. Ignores sessions that the database user is not allowed to see.
   *
   * @throws SeqqaError `STORE_BUSY`
   */
  async waitForWriters(limitMs: number = BUSY_LIMIT_MS): Promise<void> {
    for (const until = performance.now() + limitMs; ; await pause(5)) {
      const busy = await this.#use((client) =>
        rowsOf<[string, string]>(
          client,
          `select pid, coalesce(nullif(application_name, ''), 'unnamed') from pg_stat_activity
            where datname = ${quoteText(this.store.database)} and backend_xid is not null and backend_type = 'client backend' limit 1`,
        ),
      );
      const [writer] = busy;
      if (writer === undefined) return;
      if (performance.now() >= until) throw busyError(this.store, limitMs, `session ${writer[0]} (${writer[1]}) keeps a transaction open`);
    }
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  /** The name of a new copy until the copy is finished. The finished copy is renamed to the name of the database. */
  get #temporary(): string {
    return `${this.prefix}0`;
  }

  /** Calls `work` while no session is connected to the database and none can connect. */
  async #alone(work: (client: Client) => Promise<unknown>): Promise<void> {
    await this.#use(async (client) => {
      for (const until = performance.now() + BUSY_LIMIT_MS; ; await pause(20)) {
        try {
          await this.#shut(client);
          await work(client);
          return;
        } catch (error) {
          if (!isBusy(error)) throw error;
          if (performance.now() >= until) throw busyError(this.store, BUSY_LIMIT_MS, "these sessions do not end");
        } finally {
          await client.query(`alter database ${quoteName(this.store.database)} allow_connections true`);
        }
      }
    });
  }

  /**
   * Ends all sessions of the database and polls until no session exists, at most 200 times. CREATE DATABASE would also wait for the sessions, but
   * polls only every 100 ms.
   */
  async #shut(client: Client): Promise<void> {
    await client.query(`alter database ${quoteName(this.store.database)} allow_connections false`);
    const sessions = `from pg_stat_activity where datname = ${quoteText(this.store.database)} and pid <> pg_backend_pid()`;
    await client.query(`select pg_terminate_backend(pid) ${sessions}`);
    for (let tries = 0; tries < 200; tries++) {
      if ((await rowsOf(client, `select 1 ${sessions} limit 1`)).length === 0) return;
      await pause(2);
    }
  }

  async #use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await this.#server.use(work);
    } catch (error) {
      if (error instanceof SeqqaError) throw error;
      if (isLost(error)) throw lostError(this.store, error);
      throw cannotClone(this.store, error);
    }
  }
}

async function takeLock(client: Client, store: StoreUrl, lock: number): Promise<void> {
  for (const until = performance.now() + IN_USE_MS; ; await pause(50)) {
    const [row] = await rowsOf<[string]>(client, `select pg_try_advisory_lock(${LOCKS}, ${lock})::text`);
    if (row?.[0] === "true") return;
    if (performance.now() > until) throw inUseError(store);
  }
}

function cannotClone(store: StoreUrl, error: unknown): SeqqaError {
  const cause = safeCause(store, error);
  const notAllowed = codeOf(error) === "42501";
  return new SeqqaError(
    notAllowed ? "STORE_NOT_ALLOWED" : "STORE_NOT_PUT_BACK",
    `seqqa cannot clone the database ${store.shown}: ${cause.message}.`,
    {
      hint: notAllowed
        ? 'Use a role that owns the database, has CREATEDB, and is a member of pg_signal_backend. `checkpoint: "clone"` needs all three. Or use a superuser.'
        : "Read the log of the PostgreSQL server.",
      exitStatus: notAllowed ? 2 : 3,
      cause,
    },
  );
}
