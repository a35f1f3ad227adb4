import type { Pool, PoolConnection } from "mysql2/promise";
import { SharedConnectionCore } from "./shared-connection-core.ts";
import { SharedSession } from "./shared-session.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/** What a target takes in place of its own pool or connection of `mysql2/promise`. */
export type MysqlConnection = Pool & PoolConnection;

/**
 * The connection that is lent to a target in this process: a pool and a connection in one, all of whose connections are one to the server. Inside a transaction of one
 * of them the others wait. `end()` and `release()` leave the connection, which belongs to the lane.
 *
 * While exploring, the target's transactions are savepoints inside one that is never committed: isolation levels make no difference (nobody else writes), `@@autocommit` tells
 * how that one is, and what a rollback does not undo on any connection (variables, locks by name) is not undone between branches either.
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

  /** As a pool's. */
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
