import type { Client } from "pg";
import { SeqqaError } from "../../../model/errors.ts";
import { queryFailed, queryWrites, SqlLooker } from "../../../stores/sql-looker.ts";
import { connect, importDriver } from "../connect/connect.ts";
import { codeOf, isLost, lostError, safeCause } from "../connect/failures.ts";
import type { QueryRow } from "../connect/mode.ts";
import type { StoreUrl } from "../connect/store-url.ts";
import { parseForUsers } from "./values.ts";

const READS = /^[\s(]*(?:select|with|values|table|explain|show)\b/i;
const COMMENTS = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/;

/** Throws for statements that obviously do more than read. The server refuses all other statements that write. @throws SeqqaError `QUERY_WRITES` */
export function requireReading(sql: string): void {
  if (!READS.test(sql.replace(COMMENTS, ""))) throw queryWrites("PostgresAdapter", sql);
}

export function queryError(store: StoreUrl, sql: string, error: unknown): SeqqaError {
  if (error instanceof SeqqaError) return error;
  if (codeOf(error) === "25006") return queryWrites("PostgresAdapter", sql);
  if (isLost(error)) return lostError(store, error);
  return queryFailed(store.shown, sql, safeCause(store, error), "$1, $2 ... have values");
}

/** A connection for the read-only queries of user code. */
export class Looker extends SqlLooker<Client> {
  readonly #store: StoreUrl;

  constructor(store: StoreUrl) {
    super();
    this.#store = store;
  }

  protected async connect(lost: () => void): Promise<Client> {
    const { types } = await importDriver();
    return connect(this.#store, { types: parseForUsers(types), settings: { default_transaction_read_only: "on" }, lost });
  }

  protected async disconnect(client: Client | undefined): Promise<void> {
    await client?.end().catch(() => undefined);
  }

  protected async send(client: Client, sql: string, values: readonly unknown[]): Promise<QueryRow[]> {
    // Use the extended protocol, which allows one statement in a text. The server therefore refuses a second statement after a semicolon.
    const config = { text: sql, values: values as unknown[], queryMode: "extended" };
    return (await client.query<QueryRow>(config)).rows;
  }

  protected isLost(error: unknown): boolean {
    return isLost(error);
  }

  protected failed(sql: string, error: unknown): SeqqaError {
    return queryError(this.#store, sql, error);
  }
}
