import { setTimeout as pause } from "node:timers/promises";
import type { SeqqaError } from "../../model/errors.ts";

const PAUSE_MS = 3;
/** The maximum number of milliseconds to wait until other sessions have ended their write transactions. */
export const BUSY_LIMIT_MS = 5000;

/** The base class of the connections with which seqqa makes and restores checkpoints on a database server. */
export abstract class ControlConnection {
  #lost: unknown;
  #turn: Promise<unknown> = Promise.resolve();

  /**
   * Returns a description of the temporary obstacle, such as a lock, that made a statement fail with `error`. Returns `undefined` if a retry would
   * fail, too.
   */
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

  /** Checks that the connection was not lost. @throws SeqqaError `STORE_LOST` */
  protected requireConnection(): void {
    if (this.#lost !== undefined) throw this.lostError(this.#lost);
  }

  /** Converts an error of the driver to the error to throw, and records a lost connection. */
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

  /** Runs `work`. Retries it until the time limit as long as other sessions block it. */
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
