import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import type { SeqqaError } from "../../../model/errors.ts";
import { ControlConnection } from "../../../stores/connect/control-connection.ts";
import { LEASE_SECONDS, leaseOver } from "../../../stores/external/external-store.ts";
import { inUseError } from "../../../stores/connect/store-errors.ts";
import { CONTROL_SETTINGS, connect } from "./connect.ts";
import { busyError, codeOf, isBusy, isLost, lostError, safeCause } from "./failures.ts";
import { CONTROL_SWITCH } from "../journal/journal-sql.ts";
import { LEASE_HOLDS } from "../journal/lease-sql.ts";
import { takeRights, type Rights } from "../journal/rights.ts";
import { inUserPath } from "../read/user-path.ts";
import { OURS, type Table } from "../schema/catalog.ts";
import type { StoreUrl } from "./store-url.ts";

/** The keys of the advisory lock that a run holds while the run uses a database. The first key is the letters `seqq` as a number. */
export const LOCK = "1936027761, 1";
/** The longest wait for the lock of the database, in milliseconds. A session that has just ended may still hold the lock for a moment. */
const IN_USE_MS = 1500;

/** The settings of the control session. `CONTROL_SWITCH` makes seqqa's triggers ignore this session. */
const SETTINGS: Readonly<Record<string, string>> = { ...CONTROL_SETTINGS, [CONTROL_SWITCH]: "on" };

/**
 * A tolerance in milliseconds for the end of the lease. The server counts whole seconds, and renews the lease slightly before {@link Control.renewed}
 * is called.
 */
const SLACK_MS = 1500;
/**
 * Ends the session that holds the lock if this session belongs to the run whose journal is in the database, and the lease of that run has expired.
 */
const END_EXPIRED = `select pg_terminate_backend(l.pid) from ${OURS}.owner o join pg_locks l on l.pid = (to_jsonb(o) ->> 'pid')::int
  join pg_database d on d.oid = l.database and d.datname = current_database()
 where l.locktype = 'advisory' and (l.classid, l.objid) = (${LOCK}) and l.objsubid = 2 and l.granted and not ${LEASE_HOLDS}`;

/** seqqa's own connection to a database, which makes and restores checkpoints. The connection executes one operation at a time. */
export class Control extends ControlConnection {
  readonly store: StoreUrl;
  readonly #client: Client;
  #rights: Rights = { superuser: false, replica: false };
  #renewed: number | undefined;

  private constructor(store: StoreUrl, client: Client) {
    super();
    this.store = store;
    this.#client = client;
  }

  /** Opens the connection and takes the lock that keeps other runs off this database. @throws SeqqaError `STORE_IN_USE` */
  static async open(store: StoreUrl): Promise<Control> {
    let early: unknown;
    const told = { lost: (error: unknown): void => void (early ??= error) };
    const client = await connect(store, {
      rawText: true,
      settings: SETTINGS,
      lost: (error) => told.lost(error),
    });
    const control = new Control(store, client);
    told.lost = (error) => control.lose(error);
    if (early !== undefined) control.lose(early);
    try {
      if (!(await control.#lock())) throw inUseError(store);
      // Set replica role only once per session: each change of `session_replication_role` discards all cached query plans.
      control.#rights = await takeRights(client);
      return control;
    } catch (error) {
      await control.close();
      throw error;
    }
  }

  async #lock(): Promise<boolean> {
    for (const until = performance.now() + IN_USE_MS; ; await pause(50)) {
      const { rows } = await this.#client.query<{ locked: string }>(`select pg_try_advisory_lock(${LOCK})::text as locked`);
      if (rows[0]?.locked === "true") return true;
      if (performance.now() > until) return false;
      await this.#endExpired();
    }
  }

  /**
   * Ends the session of a run whose lease has expired, because the process of the run was stopped or lost its network. Otherwise, the server would
   * keep the session for hours.
   */
  async #endExpired(): Promise<void> {
    try {
      await this.#client.query(END_EXPIRED);
    } catch (error) {
      // Ignore a missing journal, and a missing privilege to read the journal or to end the session.
      if (!/^(?:42|3F)/.test(codeOf(error))) throw error;
    }
  }

  /** Records the time of a renewal. Must be called when the lease of an external store was taken or renewed. */
  renewed(): void {
    this.#renewed = Date.now();
  }

  get rights(): Rights {
    return this.#rights;
  }

  get client(): Client {
    return this.#client;
  }

  /**
   * Executes a statement and returns its rows as arrays of text. A statement with a `name` is prepared, and later calls reuse the prepared statement.
   */
  async rows(text: string, values?: readonly unknown[], name?: string): Promise<(string | null)[][]> {
    this.requireConnection();
    try {
      const config = {
        text,
        rowMode: "array" as const,
        ...(values === undefined ? {} : { values: values as unknown[] }),
        ...(name === undefined ? {} : { name }),
      };
      return (await this.#client.query<(string | null)[]>(config)).rows;
    } catch (error) {
      throw this.failed(error);
    }
  }

  /** Returns all rows of a table as text. Must be called in a transaction. */
  rowsOf(table: Table): Promise<(string | null)[][]> {
    return inUserPath(
      (sql) => this.rows(sql),
      table,
      () => this.rows(`select (t.*)::text from only ${table.sqlName} t`),
    );
  }

  async transaction<T>(work: () => Promise<T>, how = ""): Promise<T> {
    await this.rows(`begin ${how}`);
    try {
      const result = await work();
      await this.rows("commit");
      return result;
    } catch (error) {
      if (!this.lost) await this.rows("rollback").catch((cause: unknown) => this.lose(cause));
      throw error;
    }
  }

  protected obstacle(error: unknown): string | undefined {
    if (error instanceof Writing) return `${error.who} keeps a transaction open`;
    return isBusy(error) ? `another session holds a lock that seqqa needs (${safeCause(this.store, error).message})` : undefined;
  }

  protected busy(limitMs: number, who: string): SeqqaError {
    return busyError(this.store, limitMs, who);
  }

  protected isLost(error: unknown): boolean {
    return isLost(error);
  }

  protected lostError(cause: unknown): SeqqaError {
    // Another run or `seqqa clean` ends the session of a run whose lease has expired.
    const isExpired = this.#renewed !== undefined && Date.now() - this.#renewed >= LEASE_SECONDS * 1000 - SLACK_MS;
    return isExpired ? leaseOver(`the database ${this.store.shown}`) : lostError(this.store, cause);
  }

  async close(): Promise<void> {
    this.lose(new Error("closed"));
    await this.#client.end().catch(() => undefined);
  }
}

/** Thrown if another session has an open write transaction. The operation is then tried again. */
export class Writing extends Error {
  readonly who: string;

  constructor(who: string) {
    super(who);
    this.who = who;
  }
}
