import type { Connection, FieldPacket, RowDataPacket } from "mysql2/promise";
import { SeqqaError } from "../../../model/errors.ts";
import { queryFailed, queryWrites, SqlLooker } from "../../../stores/sql-looker.ts";
import { connect, disconnect } from "../connect/connect.ts";
import { errnoOf, isLost, lostError, safeCause } from "../connect/failures.ts";
import type { QueryRow } from "../connect/mode.ts";
import type { StoreUrl } from "../connect/store-url.ts";

const READS = /^[\s(]*(?:select|with|values|table|explain|describe|desc|show)\b/i;
const COMMENTS = /^(?:\s+|(?:--\s|#)[^\n]*(?:\n|$)|\/\*(?![!M])[\s\S]*?\*\/)+/;

/** @throws SeqqaError `QUERY_WRITES` when a statement is not one that reads. The server itself refuses the rest. */
export function requireReading(sql: string): void {
  if (!READS.test(sql.replace(COMMENTS, ""))) throw queryWrites("MysqlAdapter", sql);
}

export function queryError(store: StoreUrl, sql: string, error: unknown): SeqqaError {
  if (error instanceof SeqqaError) return error;
  if (errnoOf(error) === 1792) return queryWrites("MysqlAdapter", sql);
  if (isLost(error)) return lostError(store, error);
  return queryFailed(store.shown, sql, safeCause(store, error), "each ? has a value");
}

/** Answers the read-only queries of checks. */
export class Looker extends SqlLooker<Connection> {
  readonly #store: StoreUrl;

  constructor(store: StoreUrl) {
    super();
    this.#store = store;
  }

  /** Each statement is a transaction of its own that can only read: the next one sees the present data, and no lock of ours is in the target's way. */
  protected connect(lost: () => void): Promise<Connection> {
    return connect(this.#store, {
      driver: { supportBigNumbers: true },
      settings: ["names utf8mb4", "session autocommit = 1", "session transaction read only"],
      lost,
    });
  }

  protected disconnect(connection: Connection | undefined): Promise<void> {
    return disconnect(connection);
  }

  protected async send(connection: Connection, sql: string, values: readonly unknown[]): Promise<QueryRow[]> {
    // One statement only: several are not allowed on this connection.
    const [rows] = (await connection.query(sql, [...values])) as unknown as [RowDataPacket[], FieldPacket[]];
    return Array.isArray(rows) ? rows : [];
  }

  protected isLost(error: unknown): boolean {
    return isLost(error);
  }

  protected failed(sql: string, error: unknown): SeqqaError {
    return queryError(this.#store, sql, error);
  }
}
