import type { Connection, ResultSetHeader } from "mysql2/promise";
import { Turns } from "../../../stores/connect/turns.ts";
import { connect, sharedOptions } from "../connect/connect.ts";
import { BUSY_LIMIT_MS, isLost, lostError } from "../connect/failures.ts";
import type { SharedSession, SessionHost } from "./shared-session.ts";
import { connectionClosed, connectionShared, transactionOpen } from "./savepoint-failures.ts";
import { TargetTransactions, type Answer, type Request } from "./savepoint-transactions.ts";
import type { StoreUrl } from "../connect/store-url.ts";

const IN_TRANSACTION = 1;
const AUTOCOMMIT = 2;

/** The only connection between a lane and the server. All connections of the lane's target and seqqa use this connection. */
export class SharedConnectionCore implements SessionHost {
  readonly store: StoreUrl;
  readonly #turns = new Turns();
  readonly #idle: SharedSession[] = [];
  #opening: Promise<void> | undefined;
  #connection: Connection | undefined;
  #transactions: TargetTransactions | undefined;
  #ended = false;
  #lost: Error | undefined;
  /** The number of requests that the target has sent to this connection. */
  activity = 0;
  onLost: (error: Error) => void = () => undefined;

  constructor(store: StoreUrl) {
    this.store = store;
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  get transactions(): TargetTransactions | undefined {
    return this.#transactions;
  }

  /** `true` if the target has no open transaction and none of its requests is running. */
  get quiet(): boolean {
    return this.#turns.quiet;
  }

  /** Opens the connection when it is called for the first time. @throws SeqqaError, with a message that contains no credentials */
  open(): Promise<void> {
    this.#opening ??= this.#connect();
    return this.#opening;
  }

  async #connect(): Promise<void> {
    try {
      const connection = await connect(this.store, { driver: sharedOptions(this.store), lost: (error) => this.#lose(error) });
      // Remove limits for idle connections, because the shared connection is idle in a transaction between requests. MySQL knows only `wait_timeout`,
      // so ignore errors.
      for (const setting of ["wait_timeout = 31536000", "idle_transaction_timeout = 0", "idle_write_transaction_timeout = 0"])
        await connection.query(`set session ${setting}`).catch(() => undefined);
      this.#connection = connection;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  #lose(error: unknown): void {
    if (this.#ended || this.#lost !== undefined) return;
    this.#lost = lostError(this.store, error);
    this.onLost(this.#lost);
  }

  /**
   * Returns a connection for the target. Prefers the most recently released connection, with its open transaction, because a real pool does the same.
   */
  session(make: () => SharedSession): SharedSession {
    return this.#idle.pop() ?? make();
  }

  giveBack(session: SharedSession): void {
    if (!this.#idle.includes(session)) this.#idle.push(session);
  }

  ask(session: SharedSession, request: (connection: Connection) => Request): Promise<Answer> {
    return this.use(session, async (connection) => {
      this.activity++;
      const asked = request(connection);
      if (this.#transactions === undefined) return this.#plain(session, connection, asked);
      try {
        return await this.#transactions.run(session, asked);
      } finally {
        this.#turns.holder = this.#transactions.open ? session : undefined;
      }
    });
  }

  /** Sends a request before the exploration begins. The status flags of the answer show if the target now has an open transaction. */
  async #plain(session: SharedSession, connection: Connection, { send }: Request): Promise<Answer> {
    let status: number | undefined;
    try {
      const answer = await send(connection);
      status = statusOf(answer);
      return answer;
    } finally {
      status ??= this.#lost === undefined ? statusOf((await connection.query("do 0").catch(() => [])) as Answer) : undefined;
      this.#turns.holder = ((status ?? 0) & IN_TRANSACTION) === 0 ? undefined : session;
    }
  }

  use<T>(session: SharedSession, work: (connection: Connection) => Promise<T>): Promise<T> {
    const turn = async (): Promise<T> => {
      if (this.#ended) throw connectionClosed(this.store);
      await this.open();
      if (this.#lost !== undefined) throw this.#lost;
      try {
        return await work(this.#connection!);
      } catch (error) {
        if (isLost(error)) this.#lose(error);
        throw error;
      }
    };
    return this.#turns.take(session, turn, { limitMs: BUSY_LIMIT_MS, giveUp: () => connectionShared(this.store, BUSY_LIMIT_MS) });
  }

  async drop(session: SharedSession): Promise<void> {
    const at = this.#idle.indexOf(session);
    if (at >= 0) this.#idle.splice(at, 1);
    if (this.#turns.holder !== session || this.#ended) return;
    await this.use(session, async (connection) => {
      if (this.#turns.holder !== session) return;
      this.activity++;
      if (this.#transactions === undefined) await connection.query("rollback");
      else await this.#transactions.abandon(session);
      this.#turns.holder = undefined;
    });
  }

  /**
   * Waits until the target has no open transaction, then calls `work` with the connection.
   *
   * @throws SeqqaError `STORE_BUSY` if the target does not end its transaction
   */
  alone<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const turn = async (): Promise<T> => {
      if (this.#ended) throw connectionClosed(this.store);
      await this.open();
      if (this.#lost !== undefined) throw this.#lost;
      return work(this.#connection!);
    };
    return this.#turns.take(undefined, turn, { limitMs: BUSY_LIMIT_MS, giveUp: () => transactionOpen(this.store, BUSY_LIMIT_MS) });
  }

  /** Begins to replace the target's transactions by savepoints. Must be called inside {@link alone}, after making the savepoint of the root state. */
  async explore(): Promise<void> {
    const connection = this.#connection!;
    const [rows] = await connection.query({ sql: "select cast(@@innodb_rollback_on_timeout as char)", rowsAsArray: true });
    const [header] = await connection.query<ResultSetHeader>("do 0");
    this.#transactions = new TargetTransactions({
      store: this.store,
      connection,
      autocommit: (header.serverStatus & AUTOCOMMIT) !== 0,
      rollbackOnTimeout: (rows as unknown as string[][])[0]?.[0] === "1",
    });
  }

  stopExploring(): void {
    this.#transactions = undefined;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#opening?.catch(() => undefined);
    const connection = this.#connection;
    await connection?.end().catch(() => connection.destroy());
  }
}

function statusOf([result]: Answer): number | undefined {
  return (result as { readonly serverStatus?: number } | undefined)?.serverStatus;
}
