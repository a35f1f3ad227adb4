import { SeqqaError } from "../model/errors.ts";
import { onceMoreAfterLoss } from "./connect/after-loss.ts";
import type { QueryRow } from "./delegating-adapter.ts";

const QUOTED = 100;

/** Returns the error for a statement that does more than read. `label` is the name of the adapter's class. */
export function queryWrites(label: string, sql: string): SeqqaError {
  return new SeqqaError("QUERY_WRITES", `${label}.query() refused a statement that may write: ${sql.trim().slice(0, QUOTED)}`, {
    hint: "Use a SELECT in query(). To change data, call the target in an action.",
  });
}

/** Returns the error for a query that the server rejected. `places`: a sentence for the hint that explains the placeholders of the SQL dialect. */
export function queryFailed(shown: string, sql: string, cause: Error, places: string): SeqqaError {
  return new SeqqaError("QUERY_FAILED", `A query of ${shown} failed: ${cause.message}: ${sql.trim().slice(0, QUOTED)}`, {
    hint: `Correct the statement, and check that ${places}.`,
    cause,
  });
}

/**
 * Runs the read-only queries of the user's rules, one after another, on a separate connection that cannot write. `C` is the connection type of the
 * driver.
 */
export abstract class SqlLooker<C> {
  #connection: Promise<C> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  query(sql: string, values: readonly unknown[]): Promise<QueryRow[]> {
    const mine = this.#turn.then(() => this.#query(sql, values));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** Opens the connection. Calls `lost` if the connection ends unexpectedly. */
  protected abstract connect(lost: () => void): Promise<C>;
  protected abstract disconnect(connection: C | undefined): Promise<void>;
  /** Sends one SQL statement. A text with several statements is rejected. */
  protected abstract send(connection: C, sql: string, values: readonly unknown[]): Promise<QueryRow[]>;
  protected abstract isLost(error: unknown): boolean;
  protected abstract failed(sql: string, error: unknown): SeqqaError;

  /**
   * Sends a query. If the connection is lost, opens a new connection and sends the query once more, because a lost connection does not mean that the
   * server is down.
   */
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

  /** Waits for the queued queries, then closes the connection. */
  async close(): Promise<void> {
    await this.#turn;
    await this.#forget();
  }
}
