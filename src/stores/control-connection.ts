import { setTimeout as pause } from "node:timers/promises";
import type { SeqqaError } from "../model/errors.ts";

const PAUSE_MS = 3;
/** Milliseconds to wait for write transactions of other sessions. */
export const BUSY_LIMIT_MS = 5000;

/**
 * The base class of connections that make and restore checkpoints on a server. Work runs one after another, is retried while the store is locked, and
 * fails permanently once the connection is lost.
 */
export abstract class ControlConnection {
  #lost: unknown;
  #turn: Promise<unknown> = Promise.resolve();

  /** Returns a description of the session that blocks a statement, given the statement's error; `undefined` if the error is permanent. */
  protected abstract obstacle(error: unknown): string | undefined;
  protected abstract busy(limitMs: number, who: string): SeqqaError;
  protected abstract isLost(error: unknown): boolean;
  protected abstract lostError(cause: unknown): SeqqaError;

  lose(error: unknown): void {
    this.#lost ??= error;
  }

  get lost(): boolean {
    return this.#lost !== undefined;
  }

  /** @throws SeqqaError `STORE_LOST` */
  protected requireConnection(): void {
    if (this.#lost !== undefined) throw this.lostError(this.#lost);
  }

  /** Returns the error to throw for an error of the driver. Also records if the connection was lost. */
  protected failed(error: unknown): unknown {
    if (!this.isLost(error)) return error;
    this.lose(error);
    return this.lostError(error);
  }

  /** Runs `work` after all previously queued work, so that the statements of two transactions do not mix. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** Runs work, and retries it up to the limit while other sessions block it. */
  async patiently<T>(work: () => Promise<T>, limitMs: number = BUSY_LIMIT_MS): Promise<T> {
    for (const until = performance.now() + limitMs; ; await pause(PAUSE_MS)) {
      try {
        return await work();
      } catch (error) {
        const who = this.obstacle(error);
        if (who === undefined) throw error;
        if (performance.now() >= until) throw this.busy(limitMs, who);
      }
    }
  }
}
