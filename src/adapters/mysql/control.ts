import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Connection } from "mysql2/promise";
import { OUR_SETTINGS, connect, disconnect } from "./connect.ts";
import { BUSY_LIMIT_MS, busyError, inUseError, isBusy, isLost, lostError, safeCause } from "./failures.ts";
import type { StoreUrl } from "./store-url.ts";

const PAUSE_MS = 3;
/** A session that has just ended holds its locks for a moment. */
const IN_USE_S = 3;

/** Set in our session: our own triggers, and the user's guarded ones, do nothing. */
export const OFF = "@seqqa_off";

const CONTROL_SETTINGS = [...OUR_SETTINGS, "session foreign_key_checks = 0", "session unique_checks = 1", `${OFF} = 1`];

export type Row = (string | null)[];

/** The name of the lock that says that a run works on this database; server-wide, so it must tell databases apart. */
export function storeLock(database: string): string {
  return `seqqa store ${createHash("sha256").update(database).digest("hex").slice(0, 32)}`;
}

/** The connection that marks and puts back. One operation at a time. */
export class Control {
  readonly store: StoreUrl;
  readonly #connection: Connection;
  #lost: unknown;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(store: StoreUrl, connection: Connection) {
    this.store = store;
    this.#connection = connection;
  }

  /** Takes the lock that keeps other runs off this database, unless `alone` is false: for looking only. @throws SeqqaError `STORE_IN_USE` */
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
      // MariaDB only: rows that break a CHECK that was added without looking at them must go in again.
      await control.rows("set session check_constraint_checks = 0").catch(() => undefined);
      if (!alone) return control;
      const [got] = await control.rows(`select get_lock('${storeLock(store.database)}', ${IN_USE_S})`);
      if (got?.[0] !== "1") throw inUseError(store);
      return control;
    } catch (error) {
      await control.close();
      throw error;
    }
  }

  lose(error: unknown): void {
    this.#lost ??= error;
  }

  get lost(): boolean {
    return this.#lost !== undefined;
  }

  /** Results of two or more statements, in one round trip; those that give no rows give an empty one. */
  async batch(statements: readonly string[]): Promise<Row[][]> {
    const results = (await this.rows(statements.join(";\n"))) as unknown[];
    return results.map((one) => (Array.isArray(one) ? (one as Row[]) : []));
  }

  /** Rows of one statement, as arrays of text. */
  async rows(text: string): Promise<Row[]> {
    if (this.#lost !== undefined) throw lostError(this.store, this.#lost);
    try {
      const [result] = await this.#connection.query(text);
      return Array.isArray(result) ? (result as Row[]) : [];
    } catch (error) {
      if (isLost(error)) {
        this.lose(error);
        throw lostError(this.store, error);
      }
      throw error;
    }
  }

  /** Runs after everything that was asked for before: a transaction of several statements is not torn apart. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** Reads in one snapshot. */
  async snapshot<T>(work: () => Promise<T>): Promise<T> {
    await this.rows("set transaction isolation level repeatable read");
    await this.rows("start transaction with consistent snapshot");
    try {
      return await work();
    } finally {
      if (!this.lost) await this.rows("rollback").catch((cause: unknown) => this.lose(cause));
    }
  }

  /** Does something that other sessions may be in the way of, again and again until the limit. */
  async patiently<T>(work: () => Promise<T>, limitMs: number = BUSY_LIMIT_MS): Promise<T> {
    for (const until = performance.now() + limitMs; ; await pause(PAUSE_MS)) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() >= until) throw busyError(this.store, limitMs, safeCause(this.store, error).message);
      }
    }
  }

  async close(): Promise<void> {
    this.#lost ??= new Error("closed");
    await disconnect(this.#connection);
  }
}
