import type { Pool, PoolClient } from "pg";
import { SharedConnectionCore } from "./shared-connection-core.ts";
import { SharedSession } from "./shared-connection-session.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/** A replacement for the target's own `pg.Pool` or `pg.Client`. */
export type PostgresConnection = Pool & PoolClient;

type Connected = (error: Error | undefined, client?: SharedSession, done?: (destroy?: unknown) => void) => void;

/**
 * The shared connection of a target in this process. The target can use this object as a pool and as a client. All clients of the pool use one
 * connection to the server. While one client is inside a transaction, the other clients wait. `end()` and `release()` do not close the connection.
 *
 * During the exploration, the target's transactions are savepoints in a transaction that is never committed. In this transaction, `now()` does not
 * change, NOTIFY reaches nobody, and a cursor WITH HOLD locks its tables until it is closed. Isolation levels have no effect. seqqa refuses LISTEN. The
 * server refuses statements that cannot run inside a transaction: VACUUM, CREATE INDEX CONCURRENTLY, and COMMIT in a procedure.
 */
export class SharedConnection extends SharedSession {
  readonly core: SharedConnectionCore;
  readonly ending = false;
  readonly ended = false;
  readonly expiredCount = 0;
  readonly waitingCount = 0;
  readonly options: Readonly<Record<string, unknown>> = { max: 1 };
  #clients = 0;
  #announced = false;

  constructor(store: StoreUrl) {
    const core = new SharedConnectionCore(store);
    super(core);
    this.core = core;
    core.onLost = (error) => {
      if (this.listenerCount("error") > 0) this.emit("error", error);
    };
    core.announce = () => this.#announce();
  }

  override query(...asked: Parameters<SharedSession["query"]>): unknown {
    this.#announce();
    return super.query(...asked);
  }

  /** Emits "connect" for the client of `pool.query`, as a real pool does. The settings that listeners make apply to all clients. */
  #announce(): void {
    if (this.#announced || this.listenerCount("connect") === 0) return;
    this.#announced = true;
    this.emit("connect", this);
  }

  /** Works like `Pool.connect`, which returns a client with `release()`, and also like `Client.connect`, which waits until the connection is open. */
  connect(callback?: Connected): Promise<SharedSession> | undefined {
    const connected = this.core.open().then(() =>
      this.core.session(() => {
        const session = new SharedSession(this.core);
        this.#clients++;
        this.emit("connect", session);
        return session;
      }),
    );
    if (callback === undefined) return connected;
    void tell(connected, callback);
    return undefined;
  }

  get asDriver(): PostgresConnection {
    return this as unknown as PostgresConnection;
  }

  get totalCount(): number {
    return Math.max(1, this.#clients);
  }

  get idleCount(): number {
    return this.core.idleCount;
  }
}

/** Calls the callback outside of the promise, so that an error of the callback does not become an unhandled rejection. */
async function tell(connected: Promise<SharedSession>, callback: Connected): Promise<void> {
  try {
    const client = await connected;
    process.nextTick(callback, undefined, client, (destroy: unknown) => client.release(destroy));
  } catch (error) {
    process.nextTick(callback, error, undefined, () => undefined);
  }
}
