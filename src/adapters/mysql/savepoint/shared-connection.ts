import type { Pool, PoolConnection } from "mysql2/promise";
import { SharedConnectionCore } from "./shared-connection-core.ts";
import { SharedSession } from "./shared-session.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/** A replacement for the target's own pool or connection of `mysql2/promise`. */
export type MysqlConnection = Pool & PoolConnection;

/**
 * The shared connection of a target in this process. The target can use this object as a pool and as a connection. All connections of the pool use
 * one connection to the server. While one connection is inside a transaction, the other connections wait. `end()` and `release()` do not close the
 * connection to the server.
 *
 * During the exploration, the target's transactions are savepoints in a transaction that is never committed. Isolation levels have no effect, and
 * `@@autocommit` shows the value of the outer transaction. Restores do not undo changes that a rollback does not undo, such as user variables and
 * user locks.
 */
export class SharedConnection extends SharedSession {
  readonly core: SharedConnectionCore;
  #announced = false;

  constructor(store: StoreUrl) {
    const core = new SharedConnectionCore(store);
    super(core);
    this.core = core;
    core.onLost = (error) => {
      if (this.listenerCount("error") > 0) this.emit("error", error);
    };
  }

  override query(...asked: Parameters<SharedSession["query"]>): ReturnType<SharedSession["query"]> {
    this.#announce();
    return super.query(...asked);
  }

  override execute(...asked: Parameters<SharedSession["execute"]>): ReturnType<SharedSession["execute"]> {
    this.#announce();
    return super.execute(...asked);
  }

  /** Emits "connection" for the connection of `pool.query`, as a real pool does. The settings that listeners make apply to all connections. */
  #announce(): void {
    if (this.#announced || this.listenerCount("connection") === 0) return;
    this.#announced = true;
    this.emit("connection", this);
  }

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

  get asDriver(): MysqlConnection {
    return this as unknown as MysqlConnection;
  }
}
