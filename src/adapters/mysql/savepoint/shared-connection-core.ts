import type { Connection, ResultSetHeader } from "mysql2/promise";
import { Turns } from "../../../stores/turns.ts";
import { connect, sharedOptions } from "../connect/connect.ts";
import { BUSY_LIMIT_MS, isLost, lostError } from "../connect/failures.ts";
import type { SharedSession, SessionHost } from "./shared-session.ts";
import { connectionClosed, connectionShared, transactionOpen } from "./savepoint-failures.ts";
import { TargetTransactions, type Answer, type Request } from "./savepoint-transactions.ts";
import type { StoreUrl } from "../connect/store-url.ts";

const IN_TRANSACTION = 1;
const AUTOCOMMIT = 2;

/** The one connection behind all connections of a lane's target, and our own way to it. */
export class SharedConnectionCore implements SessionHost {
  readonly store: StoreUrl;
  readonly #turns = new Turns();
  readonly #idle: SharedSession[] = [];
  #opening: Promise<void> | undefined;
  #connection: Connection | undefined;
  #transactions: TargetTransactions | undefined;
  #ended = false;
  #lost: Error | undefined;
  /** Increases with everything that the target executes. */
  activity = 0;
  /** Called when the connection is lost. */
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

  /** `true` if the target does nothing, and has no transaction open. */
  get quiet(): boolean {
    return this.#turns.quiet;
  }

  /** Connects, once. @throws SeqqaError without credentials */
  open(): Promise<void> {
    this.#opening ??= this.#connect();
    return this.#opening;
  }

  async #connect(): Promise<void> {
    try {
      const connection = await connect(this.store, { driver: sharedOptions(this.store), lost: (error) => this.#lose(error) });
      // Between two requests the target's connection is idle in the transaction that explores. MySQL has only the first of these settings.
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

  /** Returns a connection of the pool: the one that was released last, with what it left open, as in a real pool. */
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

  /** Sends a request before the exploration. The server's status says which session is inside a transaction. */
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

  /** Uses the connection when no transaction of the target is open. @throws SeqqaError `STORE_BUSY` when the target keeps one open */
  alone<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const turn = async (): Promise<T> => {
      if (this.#ended) throw connectionClosed(this.store);
      await this.open();
      if (this.#lost !== undefined) throw this.#lost;
      return work(this.#connection!);
    };
    return this.#turns.take(undefined, turn, { limitMs: BUSY_LIMIT_MS, giveUp: () => transactionOpen(this.store, BUSY_LIMIT_MS) });
  }

  /**
   * Starts exploring; to be called inside {@link alone} above the root's savepoint. From here on the target's transactions are savepoints above that
   * one.
   */
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

  /** Ends the exploration: the target works on a plain connection again. */
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

/** Returns the transaction status that the server sent; `undefined`: rows came. */
function statusOf([result]: Answer): number | undefined {
  return (result as { readonly serverStatus?: number } | undefined)?.serverStatus;
}
