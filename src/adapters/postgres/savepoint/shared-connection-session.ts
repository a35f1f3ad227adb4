import { EventEmitter } from "node:events";
import type { Client } from "pg";
import type { Submittable } from "./shared-connection-relay.ts";
import { quoteName, quoteText } from "../connect/sql-text.ts";
import type { StoreUrl } from "../connect/store-url.ts";

type Callback = (error: Error | null | undefined, result?: unknown) => void;

/** A query of the target. The target may send a query before the connection is open, when the driver's class `Query` is not loaded yet. */
export interface Asked {
  readonly config: unknown;
  readonly values: unknown;
  readonly callback: Callback | undefined;
  readonly submittable: Submittable | undefined;
}

export interface SessionHost {
  readonly client: Client | undefined;
  readonly store: StoreUrl;
  configure(action: (client: Client) => void): void;
  ask(session: SharedSession, asked: Asked): void;
  drop(session: SharedSession): Promise<void>;
  giveBack(session: SharedSession): void;
  status(session: SharedSession): "I" | "T" | "E";
}

/**
 * A client of the target, like the result of `pool.connect()`. Each client has its own transactions. All clients of the lane share settings,
 * temporary tables and advisory locks.
 */
export class SharedSession extends EventEmitter {
  readonly #host: SessionHost;

  constructor(host: SessionHost) {
    super();
    this.#host = host;
  }

  /**
   * Works like `pg.Client.query`. Accepts a text, a text and values, a config object, or an object with the method `submit`. Returns a promise, or
   * calls a callback.
   */
  query(config: unknown, values?: unknown, callback?: Callback): unknown {
    if (config === null || config === undefined) throw new TypeError("Client was passed a null or undefined query");
    const given = typeof values === "function" ? (values as Callback) : callback;
    const bound = typeof values === "function" ? undefined : values;
    if (typeof (config as { submit?: unknown }).submit === "function") {
      const submittable = config as Submittable & { callback?: unknown };
      if (submittable.callback === undefined && given !== undefined) submittable.callback = given;
      this.#host.ask(this, { config, values: undefined, callback: undefined, submittable });
      return config;
    }
    const own = given ?? ((config as { callback?: Callback }).callback || undefined);
    if (own !== undefined) {
      if (typeof own !== "function") throw new TypeError("callback is not a function");
      return this.#host.ask(this, { config, values: bound, callback: own, submittable: undefined });
    }
    return new Promise((resolve, reject) => {
      const settle: Callback = (error, result) => (error ? reject(error) : resolve(result));
      this.#host.ask(this, { config, values: bound, callback: settle, submittable: undefined });
    }).catch((error: unknown) => {
      // Replace the stack trace by the stack trace of the caller, as the driver does.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    });
  }

  /** Returns the client to the pool. With `destroy`, first rolls back its open transaction. */
  release(destroy?: unknown): void {
    if (destroy !== undefined && destroy !== false) void this.#host.drop(this).catch(() => undefined);
    else this.#host.giveBack(this);
  }

  /**
   * Closes this client for the target and rolls back its open transaction. The connection to the server stays open, because all clients of the lane
   * share it.
   */
  end(callback?: () => void): Promise<void> | undefined {
    const ended = this.#host.drop(this);
    if (callback === undefined) return ended;
    void ended.then(() => process.nextTick(callback));
    return undefined;
  }

  get database(): string {
    return this.#host.store.database;
  }

  get processID(): number | null {
    return (this.#host.client as unknown as { readonly processID: number } | undefined)?.processID ?? null;
  }

  /** Sets the parser of a type. The parser applies to all clients of the lane, because they share one connection. */
  setTypeParser(...parser: Parameters<Client["setTypeParser"]>): void {
    this.#host.configure((client) => client.setTypeParser(...parser));
  }

  getTypeParser(...type: Parameters<Client["getTypeParser"]>): unknown {
    return this.#host.client?.getTypeParser(...type) ?? String;
  }

  escapeIdentifier(name: string): string {
    return quoteName(name);
  }

  escapeLiteral(text: string): string {
    return quoteText(text);
  }

  /** Returns the transaction status, with the driver's letters: `I` idle, `T` in a transaction, `E` in a failed transaction. */
  getTransactionStatus(): "I" | "T" | "E" {
    return this.#host.status(this);
  }

  /** Does nothing, because the lane itself keeps the process alive as long as the connection is needed. */
  ref(): void {}

  unref(): void {}
}
