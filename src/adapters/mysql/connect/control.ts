import { createHash } from "node:crypto";
import type { Connection } from "mysql2/promise";
import type { SeqqaError } from "../../../model/errors.ts";
import { ControlConnection } from "../../../stores/control-connection.ts";
import { inUseError } from "../../../stores/store-errors.ts";
import { OUR_SETTINGS, connect, disconnect } from "./connect.ts";
import { busyError, isBusy, isLost, lostError, safeCause } from "./failures.ts";
import type { StoreUrl } from "./store-url.ts";

/** Seconds to wait for the store's lock. A session that has just ended may hold the lock for a moment. */
const IN_USE_S = 3;

/** The session variable that is set in seqqa's own sessions. Triggers, including the user's, do nothing while it is set. */
export const OFF = "@seqqa_off";

const CONTROL_SETTINGS = [...OUR_SETTINGS, "session foreign_key_checks = 0", "session unique_checks = 1", `${OFF} = 1`];

export type Row = (string | null)[];

/** Executes statements and returns text: the control connection, or the shared connection of a target. */
export type Queries = Pick<Control, "store" | "rows" | "batch">;

/**
 * Returns the name of the lock that a run holds while it uses this database. Locks belong to the whole server, so the name differs between databases.
 */
export function storeLock(database: string): string {
  return `seqqa store ${createHash("sha256").update(database).digest("hex").slice(0, 32)}`;
}

/** The connection that makes and restores checkpoints, one operation at a time. */
export class Control extends ControlConnection {
  readonly store: StoreUrl;
  readonly #connection: Connection;

  private constructor(store: StoreUrl, connection: Connection) {
    super();
    this.store = store;
    this.#connection = connection;
  }

  /**
   * Opens the connection and takes the lock that keeps other runs off this database. `alone: false` takes no lock and is for reading only. @throws
   * SeqqaError `STORE_IN_USE`
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
      // MariaDB only: a CHECK may have been added without testing old rows. Rows that break such a CHECK must be accepted when they are restored.
      await control.rows("set session check_constraint_checks = 0").catch(() => undefined);
      if (!alone) return control;
      // If the server ignores case in names, two URLs may spell the name of one database differently. Both must get the same lock.
      const [[spelled] = []] = await control.rows("select if(@@lower_case_table_names, lower(database()), database())");
      const [got] = await control.rows(`select get_lock('${storeLock(spelled ?? store.database)}', ${IN_USE_S})`);
      if (got?.[0] !== "1") throw inUseError(store);
      return control;
    } catch (error) {
      await control.close();
      throw error;
    }
  }

  /** Returns the results of two or more statements, in one round trip. A statement without rows has an empty result. */
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

  /** Executes a DDL statement. Waits for open transactions that use the table. @throws SeqqaError `STORE_BUSY` */
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
    return isBusy(error) ? safeCause(this.store, error).message : undefined;
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

/** Another session blocks the operation. Without a message: a session committed a write after the log was read and before the rows were changed. */
export class Writing extends Error {
  constructor(what = "another session keeps writing to it") {
    super(what);
  }
}
