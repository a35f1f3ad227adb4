import type { Client, DatabaseError, Query } from "pg";
import type { SeqqaError } from "../../../model/errors.ts";
import { connect, importDriver } from "../connect/connect.ts";
import { BUSY_LIMIT_MS, lostError } from "../connect/failures.ts";
import { relay, succeed, type Submittable } from "./shared-connection-relay.ts";
import type { Asked, SharedSession, SessionHost } from "./shared-connection-session.ts";
import { Turns } from "../../../stores/connect/turns.ts";
import { listens } from "./savepoint-statements.ts";
import { connectionClosed, connectionShared, listenRefused, transactionOpen } from "./savepoint-failures.ts";
import { TargetTransactions } from "./savepoint-transactions.ts";
import type { StoreUrl } from "../connect/store-url.ts";

interface Driver {
  readonly Query: typeof Query;
  readonly DatabaseError: typeof DatabaseError;
}

/** The only connection between a lane and the server. All clients of the lane's target and seqqa use this connection. */
export class SharedConnectionCore implements SessionHost {
  readonly store: StoreUrl;
  readonly #turns = new Turns();
  readonly #idle: SharedSession[] = [];
  readonly #onOpen: ((client: Client) => void)[] = [];
  #opening: Promise<void> | undefined;
  #client: Client | undefined;
  #driver: Driver | undefined;
  #transactions: TargetTransactions | undefined;
  #running: SharedSession | undefined;
  #ended = false;
  #lost: Error | undefined;
  #refused: SeqqaError | undefined;
  /** The number of requests that the target has sent to this connection. */
  activity = 0;
  onLost: (error: Error) => void = () => undefined;
  /** Emits the event "connect" for a new client, unless this event was emitted before. */
  announce: () => void = () => undefined;

  constructor(store: StoreUrl) {
    this.store = store;
  }

  get client(): Client | undefined {
    return this.#client;
  }

  /** `true` if the target has no open transaction and none of its requests is running. */
  get quiet(): boolean {
    return this.#turns.quiet;
  }

  /** Checks that no statement of the target was refused. The target may have caught the error of the statement. @throws SeqqaError */
  requireNoneRefused(): void {
    if (this.#refused !== undefined) throw this.#refused;
  }

  configure(action: (client: Client) => void): void {
    if (this.#client === undefined) this.#onOpen.push(action);
    else action(this.#client);
  }

  /** Opens the connection when it is called for the first time. @throws SeqqaError, with a message that contains no credentials */
  open(): Promise<void> {
    this.#opening ??= this.#connect();
    return this.#opening;
  }

  async #connect(): Promise<void> {
    try {
      const client = await connect(this.store, { lost: (error) => this.#lose(error) });
      client.on("notice", (notice) => this.#running?.emit("notice", notice));
      // Turn off the limit for idle transactions: between requests, the shared connection is idle in the exploring transaction.
      // Queries of the target are compiled as they are without seqqa.
      await client.query("set idle_in_transaction_session_timeout = 0; reset jit");
      this.#driver = await importDriver();
      this.#client = client;
      for (const action of this.#onOpen.splice(0)) action(client);
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  #lose(error: Error): void {
    if (this.#ended || this.#lost !== undefined) return;
    this.#lost = lostError(this.store, error);
    this.onLost(this.#lost);
  }

  /** Returns a client for the target. Prefers the most recently released client, with its open transaction, because a real pool does the same. */
  session(make: () => SharedSession): SharedSession {
    return this.#idle.pop() ?? make();
  }

  get idleCount(): number {
    return this.#idle.length;
  }

  giveBack(session: SharedSession): void {
    if (!this.#idle.includes(session)) this.#idle.push(session);
  }

  status(session: SharedSession): "I" | "T" | "E" {
    return this.#turns.holder === session ? (this.#transactions?.status ?? this.#client?.getTransactionStatus() ?? "T") : "I";
  }

  ask(session: SharedSession, asked: Asked): void {
    const waiting = { limitMs: BUSY_LIMIT_MS, giveUp: () => connectionShared(this.store, BUSY_LIMIT_MS) };
    this.#turns.take(session, () => this.#execute(session, asked), waiting).catch((error: Error) => refuse(asked, error));
  }

  async #execute(session: SharedSession, asked: Asked): Promise<void> {
    if (this.#ended) throw connectionClosed(this.store);
    if (this.#client === undefined) await this.open();
    const client = this.#client!;
    const query =
      asked.submittable ?? (new this.#driver!.Query(asked.config as string, asked.values as [], asked.callback as never) as Submittable);
    this.activity++;
    this.#running = session;
    if (typeof query.text === "string" && listens(query.text)) throw (this.#refused = listenRefused(this.store));
    if (this.#transactions === undefined) {
      const { kind } = await relay(client, query);
      if (kind === "done") succeed(client, query);
      this.#turns.holder = kind === "done" && client.getTransactionStatus() === "I" ? undefined : await this.#stillOpen(session);
    } else {
      await this.#transactions.run(query);
      this.#turns.holder = this.#transactions.status === "I" ? undefined : session;
    }
  }

  /**
   * Returns the session if its transaction is still open, otherwise `undefined`. After a failure, the driver learns the transaction status only from
   * the answer to another query. This function therefore sends an empty query first.
   */
  async #stillOpen(session: SharedSession): Promise<SharedSession | undefined> {
    const client = this.#client!;
    await client.query("").catch(() => undefined);
    return client.getTransactionStatus() === "I" ? undefined : session;
  }

  async drop(session: SharedSession): Promise<void> {
    const at = this.#idle.indexOf(session);
    if (at >= 0) this.#idle.splice(at, 1);
    if (this.#turns.holder !== session || this.#client === undefined) return;
    const rollBack = async (): Promise<void> => {
      if (this.#turns.holder !== session) return;
      if (this.#transactions === undefined) await this.#client?.query("rollback").catch(() => undefined);
      else this.#transactions.abandon();
      this.#turns.holder = undefined;
    };
    await this.#turns.take(session, rollBack, { limitMs: BUSY_LIMIT_MS, giveUp: () => connectionShared(this.store, BUSY_LIMIT_MS) });
  }

  /**
   * Waits until the target has no open transaction, then calls `work` with the connection. During the exploration, rolls back the changes of `work`
   * if `work` fails.
   *
   * @throws SeqqaError `STORE_BUSY` if the target does not end its transaction
   */
  alone<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const turn = async (): Promise<T> => {
      if (this.#client === undefined) await this.open();
      const client = this.#client!;
      if (this.#lost !== undefined) throw this.#lost;
      await this.#transactions?.settled();
      try {
        return await work(client);
      } catch (error) {
        if (this.#transactions !== undefined) await client.query(this.#transactions.undo).catch(() => undefined);
        throw error;
      }
    };
    return this.#turns.take(undefined, turn, { limitMs: BUSY_LIMIT_MS, giveUp: () => transactionOpen(this.store, BUSY_LIMIT_MS) });
  }

  /** Begins to replace the target's transactions by savepoints. Must be called inside {@link alone}, after making the savepoint of the root state. */
  explore(deferred: readonly string[]): void {
    this.#transactions = new TargetTransactions({
      client: this.#client!,
      DatabaseError: this.#driver!.DatabaseError,
      deferred,
      warn: (message, code) =>
        this.#running?.emit("notice", { name: "notice", severity: "WARNING", code, message, length: message.length }),
    });
  }

  /** Makes the savepoint of a checkpoint. Must be called inside {@link alone}. @returns the depth of the savepoint */
  keep(): Promise<number> {
    return this.#transactions!.keep();
  }

  /** Updates the depth after the exploring transaction was rolled back to the savepoint of a checkpoint. Must be called inside {@link alone}. */
  wentBack(depth: number): void {
    this.#transactions!.wentBack(depth);
  }

  /** Stops replacing the target's transactions by savepoints. The target's statements are then sent unchanged. */
  stopExploring(): void {
    this.#transactions = undefined;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#opening?.catch(() => undefined);
    await this.#client?.end().catch(() => undefined);
  }
}

function refuse({ submittable, callback }: Asked, error: Error): void {
  if (submittable === undefined) return callback?.(error);
  submittable.handleError?.(error, undefined as never);
}
