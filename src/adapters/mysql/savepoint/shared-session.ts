import { EventEmitter } from "node:events";
import type { Connection, PreparedStatementInfo } from "mysql2/promise";
import type { Answer, Party, Request } from "./savepoint-transactions.ts";
import { statementRefused } from "./savepoint-failures.ts";
import type { StoreUrl } from "../connect/store-url.ts";

export type Sql = string | { readonly sql: string; readonly values?: unknown };

export interface SessionHost {
  readonly connection: Connection | undefined;
  readonly store: StoreUrl;
  open(): Promise<void>;
  ask(session: SharedSession, request: (connection: Connection) => Request): Promise<Answer>;
  /** Calls `work` with the shared connection when it is this session's turn. */
  use<T>(session: SharedSession, work: (connection: Connection) => Promise<T>): Promise<T>;
  drop(session: SharedSession): Promise<void>;
  giveBack(session: SharedSession): void;
}

/**
 * A connection of the target, like the result of `getConnection()` of `mysql2/promise`. Each connection has its own transactions and autocommit. All
 * connections of the lane share variables, temporary tables and user locks.
 */
export class SharedSession extends EventEmitter implements Party {
  autocommit: boolean | undefined = undefined;
  nextReadOnly = false;
  readonly #host: SessionHost;

  constructor(host: SessionHost) {
    super();
    this.#host = host;
  }

  query(sql: Sql, values?: unknown): Promise<Answer> {
    return this.#ask("query", sql, values);
  }

  execute(sql: Sql, values?: unknown): Promise<Answer> {
    return this.#ask("execute", sql, values);
  }

  beginTransaction(): Promise<Answer> {
    return this.query("START TRANSACTION");
  }

  commit(): Promise<Answer> {
    return this.query("COMMIT");
  }

  rollback(): Promise<Answer> {
    return this.query("ROLLBACK");
  }

  /** Prepares a statement. Each execution of the statement is handled like a call of `query`. */
  async prepare(sql: Sql): Promise<PreparedStatementInfo> {
    const text = textOf(sql);
    let statement: PreparedStatementInfo | undefined;
    const prepared = async (connection: Connection): Promise<PreparedStatementInfo> =>
      (statement ??= await connection.prepare(sql as string));
    await this.#host.use(this, prepared);
    const execute = (values?: unknown): Promise<Answer> =>
      this.#host.ask(this, (connection) => ({
        text: withValues(connection, text, values),
        send: async () => (await prepared(connection)).execute(values),
      }));
    return { execute, close: () => this.#host.use(this, async () => statement?.close()) } as unknown as PreparedStatementInfo;
  }

  ping(): Promise<unknown> {
    return this.#host.use(this, (connection) => connection.ping());
  }

  async connect(): Promise<void> {
    await this.#host.open();
  }

  /** Rolls back an open transaction and resets the session's settings. */
  async reset(): Promise<void> {
    await this.rollback();
    this.autocommit = undefined;
    this.nextReadOnly = false;
  }

  changeUser(): Promise<never> {
    const why = "the connection of a lane must keep the lane's user and database";
    return Promise.reject(
      statementRefused(this.#host.store, "changeUser()", why, "Write <database>.<table> to use a table of another database"),
    );
  }

  /** Returns the connection to the pool. The transaction of the connection stays open, as in a real pool. */
  release(): void {
    this.#host.giveBack(this);
  }

  /**
   * Closes this connection for the target and rolls back its open transaction. The connection to the server stays open, because all connections of
   * the lane share it.
   */
  end(): Promise<void> {
    return this.#host.drop(this);
  }

  close(): void {
    this.destroy();
  }

  destroy(): void {
    void this.#host.drop(this).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }

  escape(...value: Parameters<Connection["escape"]>): string {
    return this.#driver("escape").escape(...value);
  }

  escapeId(...value: Parameters<Connection["escapeId"]>): string {
    return this.#driver("escapeId").escapeId(...value);
  }

  format(sql: string, values?: Parameters<Connection["format"]>[1]): string {
    return this.#driver("format").format(sql, values);
  }

  unprepare(sql: string): void {
    this.#host.connection?.unprepare(sql);
  }

  get config(): Connection["config"] | undefined {
    return this.#host.connection?.config;
  }

  get threadId(): number | null {
    return this.#host.connection?.threadId ?? null;
  }

  #driver(method: string): Connection {
    const { connection } = this.#host;
    if (connection === undefined)
      throw new TypeError(`${method}() was called on a shared connection before connect(). Await connect() first.`);
    return connection;
  }

  #ask(how: "query" | "execute", sql: Sql, values: unknown): Promise<Answer> {
    // mysql2 throws the same error.
    if (typeof values === "function") throw new Error("Callback function is not available with promise clients.");
    const text = textOf(sql);
    const bound = values ?? (typeof sql === "string" ? undefined : sql.values);
    return this.#host.ask(this, () => ({
      text: this.#host.connection === undefined ? text : withValues(this.#host.connection, text, bound),
      send: (connection) =>
        how === "query" ? connection.query(sql as string, values as never) : connection.execute(sql as string, values as never),
    }));
  }
}

function textOf(sql: Sql): string {
  const text: unknown = typeof sql === "string" ? sql : (sql as { sql?: unknown } | undefined)?.sql;
  return typeof text === "string" ? text : "";
}

/**
 * Returns the text of a statement. Inserts values only if the statement concerns transactions or temporary tables, because the classification of such
 * a statement depends on its values.
 */
function withValues(connection: Connection, text: string, values: unknown): string {
  if (values === undefined || !/^\s*(?:set|savepoint|release|rollback|create|drop)\b/i.test(text)) return text;
  return connection.format(text, values);
}
