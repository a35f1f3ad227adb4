import type { Connection, FieldPacket, RowDataPacket } from "mysql2/promise";
import { SeqqaError } from "../../../model/errors.ts";
import { queryFailed, queryWrites, SqlLooker } from "../../../stores/sql-looker.ts";
import { connect, disconnect } from "../connect/connect.ts";
import { errnoOf, isLost, lostError, safeCause } from "../connect/failures.ts";
import type { QueryRow } from "../connect/mode.ts";
import type { StoreUrl } from "../connect/store-url.ts";

const READS = /^[\s(]*(?:select|with|values|table|explain|describe|desc|show)\b/i;
const COMMENTS = /^(?:\s+|(?:--\s|#)[^\n]*(?:\n|$)|\/\*(?![!M])[\s\S]*?\*\/)+/;

/** Throws for statements that obviously do more than read. The server refuses all other statements that write. @throws SeqqaError `QUERY_WRITES` */
export function requireReading(sql: string): void {
  if (!READS.test(sql.replace(COMMENTS, ""))) throw queryWrites("MysqlAdapter", sql);
}

export function queryError(store: StoreUrl, sql: string, error: unknown): SeqqaError {
  if (error instanceof SeqqaError) return error;
  if (errnoOf(error) === 1792) return queryWrites("MysqlAdapter", sql);
  if (isLost(error)) return lostError(store, error);
  return queryFailed(store.shown, sql, safeCause(store, error), "each ? has a value");
}

/** A connection for the read-only queries of user code. */
export class Looker extends SqlLooker<Connection> {
  readonly #store: StoreUrl;

  constructor(store: StoreUrl) {
    super();
    this.#store = store;
  }

  /**
   * Opens a connection on which each query is a read-only transaction of its own. Each query then sees the current data, and leaves no lock that
   * could block the target.
   */
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
    // A text with more than one statement fails, because the driver's option `multipleStatements` is off.
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
