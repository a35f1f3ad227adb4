import { SeqqaError } from "../model/errors.ts";
import { onceMoreAfterLoss } from "./after-loss.ts";
import type { QueryRow } from "./delegating-adapter.ts";

/** The number of characters of a statement that an error quotes. */
const QUOTED = 100;

/** Returns the error for a statement that does more than read. `label`: the adapter's class. */
export function queryWrites(label: string, sql: string): SeqqaError {
  return new SeqqaError("QUERY_WRITES", `${label}.query only reads, but this statement does not: ${sql.trim().slice(0, QUOTED)}`, {
    hint: "Use SELECT here; let the target write, through an action.",
  });
}

/** Returns the error for a query that the server refused. `places`: the placeholders of the dialect, in a phrase. */
export function queryFailed(shown: string, sql: string, cause: Error, places: string): SeqqaError {
  return new SeqqaError("QUERY_FAILED", `A query of ${shown} failed: ${cause.message}: ${sql.trim().slice(0, QUOTED)}`, {
    hint: `Check the statement, and that ${places}.`,
    cause,
  });
}

/** Answers the read-only queries of checks, one after another, on a connection of its own that cannot write. `C`: a connection of the driver. */
export abstract class SqlLooker<C> {
  #connection: Promise<C> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  query(sql: string, values: readonly unknown[]): Promise<QueryRow[]> {
    const mine = this.#turn.then(() => this.#query(sql, values));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** Connects. `lost` is called when the connection ends by itself. */
  protected abstract connect(lost: () => void): Promise<C>;
  protected abstract disconnect(connection: C | undefined): Promise<void>;
  /** Sends one statement; a text with several is refused. */
  protected abstract send(connection: C, sql: string, values: readonly unknown[]): Promise<QueryRow[]>;
  protected abstract isLost(error: unknown): boolean;
  /** Returns the error of ours for the server's answer to a query. */
  protected abstract failed(sql: string, error: unknown): SeqqaError;

  /** Sends a query, and if the session was lost, once more on a new one: the end of a session says nothing about the store. */
  async #query(sql: string, values: readonly unknown[]): Promise<QueryRow[]> {
    try {
      return await onceMoreAfterLoss(
        () => this.#rows(sql, values),
        (error) => this.isLost(error) && !(error instanceof SeqqaError),
      );
    } catch (error) {
      throw this.failed(sql, error);
    }
  }

  async #rows(sql: string, values: readonly unknown[]): Promise<QueryRow[]> {
    try {
      this.#connection ??= this.connect(() => (this.#connection = undefined));
      return await this.send(await this.#connection, sql, values);
    } catch (error) {
      if (this.isLost(error) || error instanceof SeqqaError) await this.#forget();
      throw error;
    }
  }

  async #forget(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await this.disconnect(await connection?.catch(() => undefined));
  }

  /** Ends the connection, after the queries that were asked before. */
  async close(): Promise<void> {
    await this.#turn;
    await this.#forget();
  }
}
