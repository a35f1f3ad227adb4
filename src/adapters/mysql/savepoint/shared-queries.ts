import type { Connection } from "mysql2/promise";
import type { Queries, Row } from "../connect/control.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/** Executes seqqa's own statements on the shared connection. Values are returned as text, whatever options the target has set for the driver. */
export class SharedQueries implements Queries {
  readonly store: StoreUrl;
  readonly #connection: () => Connection;

  constructor(store: StoreUrl, connection: () => Connection) {
    this.store = store;
    this.#connection = connection;
  }

  async rows(sql: string): Promise<Row[]> {
    const typeCast = (field: { string(): string | null }): string | null => field.string();
    const [result] = await this.#connection().query({ sql, rowsAsArray: true, nestTables: false, typeCast: typeCast as never });
    return Array.isArray(result) ? (result as unknown as Row[]) : [];
  }

  /** Sends the statements one by one, because the shared connection does not allow several statements in one text. */
  async batch(statements: readonly string[]): Promise<Row[][]> {
    const all: Row[][] = [];
    for (const sql of statements) all.push(await this.rows(sql));
    return all;
  }
}
