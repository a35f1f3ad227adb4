import type { SavedWorld } from "../state/world-state.ts";

/** How long an action's first 202 answer is watched for late writes, and how long to wait for an action that writes late. Milliseconds. */
const WATCH = 200;
const POLL = 5;

/** Detects writes that a target commits after it has answered, and keeps them out of other states. */
export class LateWrites {
  readonly #settleMs: number;
  readonly #late: Set<number> = new Set();
  readonly #watched: Set<number> = new Set();

  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  /** Returns `true` if the lane waits after each action, because `target.settle` is set. */
  waits(_action: number): boolean {
    return this.#settleMs > 0;
  }

  settle(_action?: number): void | Promise<void> {
    if (this.#settleMs > 0) return sleep(this.#settleMs);
  }

  known(action: number): boolean {
    return this.#late.has(action);
  }

  remember(action: number): void {
    this.#late.add(action);
  }

  /** Watches the stores after an action's first 202 answer. Resolves to `true` if the reached state changed. */
  async watch(action: number, changed: () => Promise<boolean>): Promise<boolean> {
    if (this.#settleMs > 0 || this.#watched.has(action) || this.#late.has(action)) return false;
    this.#watched.add(action);
    return poll(changed, WATCH);
  }

  /** Waits for the late writes of an action, before its changes are undone. */
  async drain(_mark: SavedWorld): Promise<void> {
    await sleep(WATCH);
  }
}

/**
 * Calls `isSo` every `everyMs` milliseconds. Resolves to `true` as soon as `isSo` does. After `ms` milliseconds, resolves to the result of a last
 * call.
 */
export async function poll(isSo: () => Promise<boolean>, ms: number, everyMs: number = POLL): Promise<boolean> {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    if (await isSo()) return true;
    await sleep(everyMs);
  }
  return isSo();
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
