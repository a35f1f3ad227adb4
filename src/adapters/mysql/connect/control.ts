import { createHash } from "node:crypto";
import type { Connection } from "mysql2/promise";
import type { SeqqaError } from "../../../model/errors.ts";
import { ControlConnection } from "../../../stores/connect/control-connection.ts";
import { inUseError } from "../../../stores/connect/store-errors.ts";
import { OUR_SETTINGS, connect, disconnect } from "./connect.ts";
import { busyError, isBusy, isLost, lostError, safeCause } from "./failures.ts";
import type { StoreUrl } from "./store-url.ts";

/** The longest wait for the lock of the database, in seconds. A session that has just ended may still hold the lock for a moment. */
const IN_USE_S = 3;

/** A session variable that only seqqa's own sessions set. While this variable is set, the journal's triggers and the user's triggers do nothing. */
export const OFF = "@seqqa_off";

const CONTROL_SETTINGS = [...OUR_SETTINGS, "session foreign_key_checks = 0", "session unique_checks = 1", `${OFF} = 1`];

export type Row = (string | null)[];

/** The methods that execute statements and return their values as text. The control connection and a shared connection have these methods. */
export type Queries = Pick<Control, "store" | "rows" | "batch">;

/**
 * Returns the name of the lock that a run holds while it uses this database. The name contains the database, because MySQL's user locks belong to the
 * whole server.
 */
export function storeLock(database: string): string {
  return `seqqa store ${createHash("sha256").update(database).digest("hex").slice(0, 32)}`;
}

/** seqqa's own connection to a database, which makes and restores checkpoints. The connection executes one operation at a time. */
export class Control extends ControlConnection {
  readonly store: StoreUrl;
  readonly #connection: Connection;

  private constructor(store: StoreUrl, connection: Connection) {
    super();
    this.store = store;
    this.#connection = connection;
  }

  /**
   * Opens the connection and takes the lock that keeps other runs off this database. With `alone: false`, takes no lock. The caller must then only
   * read.
   *
   * @throws SeqqaError `STORE_IN_USE`
   */
  static async open(store: StoreUrl, alone = true): Promise<Control> {
    let lost: (error: Error) => void = () => undefined;
    const connection = await connect(store, {
      settings: CONTROL_SETTINGS,
      driver: { multipleStatements: true, rowsAsArray: true, typeCast: (field: { string(): string | null }) => field.string() },
      lost: (error) => lost(error),
    });
    const control = new Control(store, connection);
    lost = (error) => control.lose(error);
    try {
      // MariaDB only: MariaDB can add a CHECK without testing old rows, so rows that break a CHECK can exist. A restore must accept such rows.
      await control.rows("set session check_constraint_checks = 0").catch(() => undefined);
      if (!alone) return control;
      // If the server ignores case in names, use the server's own spelling of the database. Two URLs with different spellings then use the same lock.
      const [[spelled] = []] = await control.rows("select if(@@lower_case_table_names, lower(database()), database())");
      const [got] = await control.rows(`select get_lock('${storeLock(spelled ?? store.database)}', ${IN_USE_S})`);
      if (got?.[0] !== "1") throw inUseError(store);
      return control;
    } catch (error) {
      await control.close();
      throw error;
    }
  }

  /** Executes two or more statements in one round trip and returns the result of each statement. A statement without rows has an empty result. */
  async batch(statements: readonly string[]): Promise<Row[][]> {
    const results = (await this.rows(statements.join(";\n"))) as unknown[];
    return results.map((one) => (Array.isArray(one) ? (one as Row[]) : []));
  }

  async rows(text: string): Promise<Row[]> {
    this.requireConnection();
    try {
      const [result] = await this.#connection.query(text);
      return Array.isArray(result) ? (result as Row[]) : [];
    } catch (error) {
      throw this.failed(error);
    }
  }

  /**
   * Executes a DDL statement. The server first waits for open transactions that use the table. @throws SeqqaError `STORE_BUSY` if the wait is too
   * long
   */
  define(sql: string): Promise<Row[]> {
    return this.patiently(() => this.rows(sql));
  }

  async snapshot<T>(work: () => Promise<T>): Promise<T> {
    await this.rows("set transaction isolation level repeatable read");
    await this.rows("start transaction with consistent snapshot");
    try {
      return await work();
    } finally {
      if (!this.lost) await this.rows("rollback").catch((cause: unknown) => this.lose(cause));
    }
  }

  protected obstacle(error: unknown): string | undefined {
    if (error instanceof Writing) return error.message;
    return isBusy(error) ? `another session holds a lock that seqqa needs (${safeCause(this.store, error).message})` : undefined;
  }

  protected busy(limitMs: number, who: string): SeqqaError {
    return busyError(this.store, limitMs, who);
  }

  protected isLost(error: unknown): boolean {
    return isLost(error);
  }

  protected lostError(cause: unknown): SeqqaError {
    return lostError(this.store, cause);
  }

  async close(): Promise<void> {
    this.lose(new Error("closed"));
    await disconnect(this.#connection);
  }
}

/**
 * Thrown if another session blocks the operation. The operation is then tried again. The default message is for a session that committed a write
 * after seqqa had read the undo log.
 */
export class Writing extends Error {
  constructor(what = "another session keeps writing to the database") {
    super(what);
  }
}
