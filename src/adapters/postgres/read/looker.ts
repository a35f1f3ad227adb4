import type { Client } from "pg";
import { SeqqaError } from "../../../model/errors.ts";
import { onceMoreAfterLoss } from "../../../stores/after-loss.ts";
import { connect, importDriver } from "../connect/connect.ts";
import { codeOf, isLost, lostError, safeCause } from "../connect/failures.ts";
import type { QueryRow } from "../connect/mode.ts";
import type { StoreUrl } from "../connect/store-url.ts";
import { parseForUsers } from "./values.ts";

const READS = /^\s*(?:select|with|values|table|explain|show)\b/i;
const COMMENTS = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/;

/** @throws SeqqaError `QUERY_WRITES` when a statement is not one that reads. The server itself refuses the rest. */
export function requireReading(sql: string): void {
  if (!READS.test(sql.replace(COMMENTS, ""))) throw queryWrites(sql);
}

export function queryWrites(sql: string): SeqqaError {
  return new SeqqaError("QUERY_WRITES", `PostgresAdapter.query only reads, but this statement does not: ${sql.trim().slice(0, 100)}`, {
    hint: "Use SELECT here; let the target write, through an action.",
  });
}

/** Returns the error of ours for the server's answer to a query. */
export function queryError(store: StoreUrl, sql: string, error: unknown): SeqqaError {
  if (error instanceof SeqqaError) return error;
  if (codeOf(error) === "25006") return queryWrites(sql);
  if (isLost(error)) return lostError(store, error);
  const cause = safeCause(store, error);
  return new SeqqaError("QUERY_FAILED", `A query of ${store.shown} failed: ${cause.message}: ${sql.trim().slice(0, 100)}`, {
    hint: "Check the statement, and that $1, $2 ... have values.",
    cause,
  });
}

/** Answers the read-only queries of checks, on a connection of its own that cannot write. */
export class Looker {
  readonly #store: StoreUrl;
  #client: Promise<Client> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(store: StoreUrl) {
    this.#store = store;
  }

  /** Sends queries one after the other, as the driver wants it. */
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
      this.#client ??= this.#connect();
      // With values, even none, the text may hold one statement only: nothing can be smuggled behind it.
      const config = { text: sql, values: values as unknown[], queryMode: "extended" };
      return (await (await this.#client).query<QueryRow>(config)).rows;
    } catch (error) {
      if (isLost(error) || error instanceof SeqqaError) await this.close();
      throw error;
    }
  }

  async #connect(): Promise<Client> {
    const { types } = await importDriver();
    return connect(this.#store, {
      types: parseForUsers(types),
      settings: { default_transaction_read_only: "on" },
      lost: () => (this.#client = undefined),
    });
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await (await client?.catch(() => undefined))?.end().catch(() => undefined);
  }
}
