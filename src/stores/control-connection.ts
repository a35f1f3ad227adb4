import { setTimeout as pause } from "node:timers/promises";
import type { SeqqaError } from "../model/errors.ts";

const PAUSE_MS = 3;
/** How long the open write transactions of others are waited for. */
export const BUSY_LIMIT_MS = 5000;

/** What a connection that marks and puts back is, whatever server it leads to: used in turns, patient, and lost once and for all. */
export abstract class ControlConnection {
  #lost: unknown;
  #turn: Promise<unknown> = Promise.resolve();

  /** Who or what is in the way for now, by the error of a statement; `undefined`: it failed for good. */
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

  /** What is thrown for an error of the driver. */
  protected failed(error: unknown): unknown {
    if (!this.isLost(error)) return error;
    this.lose(error);
    return this.lostError(error);
  }

  /** Runs after everything that was asked for before: a transaction of several statements is not torn apart. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** Does something that other sessions may be in the way of, again and again until the limit. */
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
