import type { Client, Connection } from "pg";

/** A query object with the methods that the driver calls when the answer arrives: `pg.Query`, pg-cursor, pg-query-stream and others. */
export interface Submittable {
  readonly text?: unknown;
  readonly values?: readonly unknown[] | undefined;
  submit(connection: Connection): unknown;
  handleCommandComplete?(message: { readonly text: string }, connection: Connection): void;
  handleReadyForQuery?(connection: Connection): void;
  handleError?(error: Error, connection: Connection): void;
}

/** The outcome of a query. A failure has already been reported to the query object. The caller must report a success. */
export type Outcome = { readonly kind: "done" } | { readonly kind: "failed"; readonly error: Error };

/**
 * Sends a query and passes the server's answer to the query object. The caller reports success after its own work is done. With `text`, sends only
 * this part of the query's text.
 */
export function relay(
  client: Client,
  query: Submittable,
  text?: string,
  adapt: (error: Error) => void = () => undefined,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const own: Readonly<Record<string, unknown>> = {
      handleReadyForQuery: () => resolve({ kind: "done" }),
      handleError: (error: Error, connection: Connection) => {
        adapt(error);
        resolve({ kind: "failed", error });
        // Report the error immediately, because pg-cursor then sends the Sync message for which the server waits.
        query.handleError?.(error, connection);
      },
      ...(text === undefined ? {} : { submit: (connection: Connection) => (connection.query(text), null) }),
    };
    const proxy = new Proxy(query, {
      get: (target, key) => {
        if (typeof key === "string" && Object.hasOwn(own, key)) return own[key];
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
      },
      set: (target, key, value) => Reflect.set(target, key, value),
    });
    client.query(proxy);
  });
}

/** Reports success to a query object. With `tag`, first reports this command tag, for a command that was not sent to the server. */
export function succeed(client: Client, query: Submittable, tag?: string): void {
  const { connection } = client;
  if (tag !== undefined) query.handleCommandComplete?.({ text: tag }, connection);
  query.handleReadyForQuery?.(connection);
}

export function fail(client: Client, query: Submittable, error: Error): void {
  query.handleError?.(error, client.connection);
}
