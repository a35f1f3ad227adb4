import type { Connection, FieldPacket, RowDataPacket } from "mysql2/promise";
import { SeqqaError } from "../../../model/errors.ts";
import { onceMoreAfterLoss } from "../../../stores/after-loss.ts";
import { connect, disconnect } from "../connect/connect.ts";
import { errnoOf, isLost, lostError, safeCause } from "../connect/failures.ts";
import type { QueryRow } from "../connect/mode.ts";
import type { StoreUrl } from "../connect/store-url.ts";

const READS = /^[\s(]*(?:select|with|values|table|explain|describe|desc|show)\b/i;
const COMMENTS = /^(?:\s+|(?:--\s|#)[^\n]*(?:\n|$)|\/\*(?![!M])[\s\S]*?\*\/)+/;

/** @throws SeqqaError `QUERY_WRITES` when a statement is not one that reads. The server itself refuses the rest. */
export function requireReading(sql: string): void {
  if (!READS.test(sql.replace(COMMENTS, ""))) throw queryWrites(sql);
}

function queryWrites(sql: string): SeqqaError {
  return new SeqqaError("QUERY_WRITES", `MysqlAdapter.query only reads, but this statement does not: ${sql.trim().slice(0, 100)}`, {
    hint: "Use SELECT here; let the target write, through an action.",
  });
}

export function queryError(store: StoreUrl, sql: string, error: unknown): SeqqaError {
  if (error instanceof SeqqaError) return error;
  if (errnoOf(error) === 1792) return queryWrites(sql);
  if (isLost(error)) return lostError(store, error);
  const cause = safeCause(store, error);
  return new SeqqaError("QUERY_FAILED", `A query of ${store.shown} failed: ${cause.message}: ${sql.trim().slice(0, 100)}`, {
    hint: "Check the statement, and that each ? has a value.",
    cause,
  });
}

/** Answers the read-only queries of checks, on a connection of its own that cannot write. */
export class Looker {
  readonly #store: StoreUrl;
  #connection: Promise<Connection> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(store: StoreUrl) {
    this.#store = store;
  }

  query(sql: string, values: readonly unknown[]): Promise<QueryRow[]> {
    const mine = this.#turn.then(() => this.#query(sql, values));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** Sends a query, and if the session was lost, once more on a new one: the end of a session says nothing about the store. */
  async #query(sql: string, values: readonly unknown[]): Promise<QueryRow[]> {
    try {
      return await onceMoreAfterLoss(
        () => this.#rows(sql, values),
        (error) => isLost(error) && !(error instanceof SeqqaError),
      );
    } catch (error) {
      throw queryError(this.#store, sql, error);
    }
  }

  async #rows(sql: string, values: readonly unknown[]): Promise<QueryRow[]> {
    try {
      // Each statement is a transaction of its own that can only read: the next one sees the present data, and no lock of ours is in the target's
      // way.
      this.#connection ??= connect(this.#store, {
        driver: { supportBigNumbers: true },
        settings: ["names utf8mb4", "session autocommit = 1", "session transaction read only"],
        lost: () => (this.#connection = undefined),
      });
      const connection = await this.#connection;
      // One statement only: several are not allowed on this connection.
      const [rows] = (await connection.query(sql, [...values])) as unknown as [RowDataPacket[], FieldPacket[]];
      return Array.isArray(rows) ? rows : [];
    } catch (error) {
      if (isLost(error) || error instanceof SeqqaError) await this.#forget();
      throw error;
    }
  }

  async #forget(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await disconnect(await connection?.catch(() => undefined));
  }

  async close(): Promise<void> {
    await this.#turn;
    await this.#forget();
  }
}
