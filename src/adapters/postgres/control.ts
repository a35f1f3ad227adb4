import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { CONTROL_SETTINGS, connect } from "./connect.ts";
import { BUSY_LIMIT_MS, inUseError, isBusy, isLost, lostError, safeCause, busyError } from "./failures.ts";
import { CONTROL_SWITCH } from "./journal-sql.ts";
import type { StoreUrl } from "./store-url.ts";

/** Of the advisory lock that says that a run works on this database: the letters `seqq`, and a number. */
export const LOCK = "1936027761, 1";
const PAUSE_MS = 3;
/** A session that has just ended holds its locks for a moment. */
const IN_USE_MS = 1500;

/** In replica role, which no trigger of the user's and no foreign key sees, and unseen by our own triggers. Set once: changing it makes all plans anew. */
const REPLICA: Readonly<Record<string, string>> = { ...CONTROL_SETTINGS, session_replication_role: "replica", [CONTROL_SWITCH]: "on" };

/** The connection that marks and puts back. One operation at a time. */
export class Control {
  readonly store: StoreUrl;
  readonly #client: Client;
  #lost: unknown;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(store: StoreUrl, client: Client) {
    this.store = store;
    this.#client = client;
  }

  /** Takes the lock that keeps other runs off this database. @throws SeqqaError `STORE_IN_USE` */
  static async open(store: StoreUrl, replica: boolean): Promise<Control> {
    let early: unknown;
    const told = { lost: (error: unknown): void => void (early ??= error) };
    const client = await connect(store, {
      rawText: true,
      settings: replica ? REPLICA : CONTROL_SETTINGS,
      lost: (error) => told.lost(error),
    });
    const control = new Control(store, client);
    told.lost = (error) => control.lose(error);
    if (early !== undefined) control.lose(early);
    try {
      if (!(await control.#lock())) throw inUseError(store);
      return control;
    } catch (error) {
      await control.close();
      throw error;
    }
  }

  async #lock(): Promise<boolean> {
    for (const until = performance.now() + IN_USE_MS; ; await pause(50)) {
      const { rows } = await this.#client.query<{ locked: string }>(`select pg_try_advisory_lock(${LOCK})::text as locked`);
      if (rows[0]?.locked === "true") return true;
      if (performance.now() > until) return false;
    }
  }

  lose(error: unknown): void {
    this.#lost ??= error;
  }

  get lost(): boolean {
    return this.#lost !== undefined;
  }

  get client(): Client {
    return this.#client;
  }

  /** Rows as arrays of raw text. A `name` keeps the statement prepared. */
  async rows(text: string, values?: readonly unknown[], name?: string): Promise<(string | null)[][]> {
    if (this.#lost !== undefined) throw lostError(this.store, this.#lost);
    try {
      const config = {
        text,
        rowMode: "array" as const,
        ...(values === undefined ? {} : { values: values as unknown[] }),
        ...(name === undefined ? {} : { name }),
      };
      return (await this.#client.query<(string | null)[]>(config)).rows;
    } catch (error) {
      if (isLost(error)) {
        this.lose(error);
        throw lostError(this.store, error);
      }
      throw error;
    }
  }

  /** Runs after everything that was asked for before: a transaction of several statements is not torn apart. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** Statements of one transaction. */
  async transaction<T>(work: () => Promise<T>, how = ""): Promise<T> {
    await this.rows(`begin ${how}`);
    try {
      const result = await work();
      await this.rows("commit");
      return result;
    } catch (error) {
      if (!this.lost) await this.rows("rollback").catch((cause: unknown) => this.lose(cause));
      throw error;
    }
  }

  /** Does something that other sessions may be in the way of, again and again until the limit. */
  async patiently<T>(work: () => Promise<T>, limitMs: number = BUSY_LIMIT_MS): Promise<T> {
    for (const until = performance.now() + limitMs; ; await pause(PAUSE_MS)) {
      let reason: string;
      try {
        return await work();
      } catch (error) {
        if (error instanceof Writing) reason = `${error.who} keeps a transaction open`;
        else if (isBusy(error)) reason = safeCause(this.store, error).message;
        else throw error;
      }
      if (performance.now() >= until) throw busyError(this.store, limitMs, reason);
    }
  }

  async close(): Promise<void> {
    this.#lost ??= new Error("closed");
    await this.#client.end().catch(() => undefined);
  }
}

/** Somebody is in the middle of a write transaction. */
export class Writing extends Error {
  readonly who: string;

  constructor(who: string) {
    super(who);
    this.who = who;
  }
}
