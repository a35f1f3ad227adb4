import type { SavedWorld } from "../state/world-state.ts";

/** How long the first 202 of an action is watched, and the least time to wait for a late action. Milliseconds. */
const WATCH = 200;
const POLL = 5;

/** Watches for writes that a target commits after it has answered, and keeps them out of other branches. */
export class LateWrites {
  readonly #settleMs: number;
  readonly #late: Set<number> = new Set();
  readonly #watched: Set<number> = new Set();

  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  /** Returns `true` if there is a wait after this action. */
  waits(_action: number): boolean {
    return this.#settleMs > 0;
  }

  /** Waits for `target.settle`. */
  settle(_action?: number): void | Promise<void> {
    if (this.#settleMs > 0) return sleep(this.#settleMs);
  }

  known(action: number): boolean {
    return this.#late.has(action);
  }

  remember(action: number): void {
    this.#late.add(action);
  }

  /** Watches an action's first accepted answer. Resolves to `true` if the state that it led to changed afterwards. */
  async watch(action: number, changed: () => Promise<boolean>): Promise<boolean> {
    if (this.#settleMs > 0 || this.#watched.has(action) || this.#late.has(action)) return false;
    this.#watched.add(action);
    return poll(changed, WATCH);
  }

  /** Gives a late action the time that it was seen to need, before its branch is undone. */
  async drain(_mark: SavedWorld): Promise<void> {
    await sleep(WATCH);
  }
}

/** Resolves to `true` as soon as `isSo` does, to `false` after `ms` milliseconds. It is called every `everyMs`, and once more at the end. */
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
