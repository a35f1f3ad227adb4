import { EventEmitter } from "node:events";
import type { Client } from "pg";
import type { Submittable } from "./shared-connection-relay.ts";
import { quoteName, quoteText } from "../connect/sql-text.ts";
import type { StoreUrl } from "../connect/store-url.ts";

type Callback = (error: Error | null | undefined, result?: unknown) => void;

/** A query before there is a connection: the driver's own class is known only then. */
export interface Asked {
  readonly config: unknown;
  readonly values: unknown;
  readonly callback: Callback | undefined;
  readonly submittable: Submittable | undefined;
}

/** What a session needs of the connection that it shares with others. */
export interface SessionHost {
  readonly client: Client | undefined;
  readonly store: StoreUrl;
  configure(action: (client: Client) => void): void;
  ask(session: SharedSession, asked: Asked): void;
  /** The session ends; what it left open is rolled back. */
  drop(session: SharedSession): Promise<void>;
  giveBack(session: SharedSession): void;
  status(session: SharedSession): "I" | "T" | "E";
}

/**
 * One client, as the target sees it: what `pool.connect()` gives. It has transactions of its own, and shares everything else that
 * belongs to a session (settings, temporary tables, advisory locks) with the other clients of its lane.
 */
export class SharedSession extends EventEmitter {
  readonly #host: SessionHost;

  constructor(host: SessionHost) {
    super();
    this.#host = host;
  }

  /** As `pg.Client.query`: text, text and values, a config object, or something to submit; a promise, or a callback. */
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
      // As the driver does: the stack that leads here is of use to nobody, the one of the caller is.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    });
  }

  /** Gives a pool's client back; with `destroy`, what it left open is rolled back. */
  release(destroy?: unknown): void {
    if (destroy !== undefined && destroy !== false) void this.#host.drop(this).catch(() => undefined);
    else this.#host.giveBack(this);
  }

  /** Ends this client and rolls back what it left open. The connection itself belongs to the lane. */
  end(callback?: () => void): Promise<void> | undefined {
    const ended = this.#host.drop(this);
    if (callback === undefined) return ended;
    void ended.then(() => process.nextTick(callback));
    return undefined;
  }

  get database(): string {
    return this.#host.store.database;
  }

  /** Of the server's process; `null` before the connection stands. */
  get processID(): number | null {
    return (this.#host.client as unknown as { readonly processID: number } | undefined)?.processID ?? null;
  }

  /** All clients of a lane are one connection: it holds for each of them. */
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

  /** As in the driver: idle, in a transaction, in a failed one. */
  getTransactionStatus(): "I" | "T" | "E" {
    return this.#host.status(this);
  }

  /** The connection belongs to the lane, which keeps the process alive as long as it needs it. */
  ref(): void {}

  unref(): void {}
}
