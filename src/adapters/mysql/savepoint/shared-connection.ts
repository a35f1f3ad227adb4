import type { Pool, PoolConnection } from "mysql2/promise";
import { SharedConnectionCore } from "./shared-connection-core.ts";
import { SharedSession } from "./shared-session.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/** The object that a target uses in place of its own pool or connection of `mysql2/promise`. */
export type MysqlConnection = Pool & PoolConnection;

/**
 * The shared connection of a target in this process: a pool and a connection in one, all of whose connections are one connection to the server. While
 * one of them is inside a transaction, the others wait. `end()` and `release()` leave the connection open, which belongs to the lane.
 *
 * While exploring, the target's transactions are savepoints inside one that is never committed. Isolation levels make no difference (nobody else
 * writes), and `@@autocommit` shows the value of that outer transaction. What a rollback does not undo on any connection (variables, locks by name)
 * is not undone between branches either.
 */
export class SharedConnection extends SharedSession {
  readonly core: SharedConnectionCore;

  constructor(store: StoreUrl) {
    const core = new SharedConnectionCore(store);
    super(core);
    this.core = core;
    core.onLost = (error) => {
      if (this.listenerCount("error") > 0) this.emit("error", error);
    };
  }

  /** Returns a connection, as a pool does. */
  async getConnection(): Promise<SharedSession> {
    await this.core.open();
    const session = this.core.session(() => {
      const made = new SharedSession(this.core);
      this.emit("connection", made);
      return made;
    });
    this.emit("acquire", session);
    return session;
  }

  releaseConnection(session: SharedSession): void {
    session.release();
  }

  /** The same connection as the driver's types name it. */
  get asDriver(): MysqlConnection {
    return this as unknown as MysqlConnection;
  }
}
