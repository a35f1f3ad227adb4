import { setTimeout as sleep } from "node:timers/promises";

/**
 * Milliseconds for which the stores are watched after the first 202 answer of an action. The lane also waits this long for an action that writes
 * late.
 */
const WATCH = 200;
const POLL = 5;

/** Detects writes that a target commits after its answer, and waits for them so that they do not affect other states. */
export class LateWrites {
  readonly #settleMs: number;
  /** The fields that were written late, by action. */
  readonly #late: Map<number, readonly string[]> = new Map();
  readonly #watched: Set<number> = new Set();

  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  /** Returns `true` if the lane waits after every action, because the option `target.settle` is set. */
  waits(): boolean {
    return this.#settleMs > 0;
  }

  settle(): void | Promise<void> {
    if (this.#settleMs > 0) return sleep(this.#settleMs);
  }

  known(action: number): boolean {
    return this.#late.has(action);
  }

  remember(action: number, fields: readonly string[]): void {
    if (!this.#late.has(action)) this.#late.set(action, fields);
  }

  fieldsOf(action: number): readonly string[] {
    return this.#late.get(action) ?? [];
  }

  /** Watches the stores after the first 202 answer of an action. Resolves to `true` if `changed` resolves to `true` during this time. */
  async watch(action: number, changed: () => Promise<boolean>): Promise<boolean> {
    if (this.#settleMs > 0 || this.#watched.has(action) || this.#late.has(action)) return false;
    this.#watched.add(action);
    return poll(changed, WATCH);
  }

  /** Waits for late writes by an action. Called before the changes of the action are undone. */
  async drain(): Promise<void> {
    await sleep(WATCH);
  }
}

/**
 * Calls `isSo` every `everyMs` milliseconds for `ms` milliseconds. Resolves to `true` as soon as `isSo` resolves to `true`, else to the result of the
 * last call.
 */
export async function poll(isSo: () => Promise<boolean>, ms: number, everyMs: number = POLL): Promise<boolean> {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    if (await isSo()) return true;
    await sleep(everyMs);
  }
  return isSo();
}
