import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";

/** A timer may fire this number of milliseconds late. Shorter waits therefore use turns of the event loop instead of a timer. */
const TIMER_MS = 3;
/** A turn of the event loop may take this number of milliseconds. Shorter waits therefore read the clock in a loop instead. */
const TURN_MS = 0.2;

/**
 * Calls `release` for each item at its offset, in milliseconds after the first item. Items with the same offset are passed together. `all` must be
 * sorted by offset.
 */
export async function atOffsets<T extends { readonly offset: number }>(
  all: readonly T[],
  release: (together: readonly T[]) => void | Promise<void>,
): Promise<void> {
  let start = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < all.length;) {
    const { offset } = all[at]!;
    await until(start + offset);
    const next = all.findIndex((one) => one.offset > offset);
    const end = next === -1 ? all.length : next;
    await release(all.slice(at, end));
    if (at === 0) start = performance.now() - offset;
    at = end;
  }
}

async function until(due: number): Promise<void> {
  for (;;) {
    const left = due - performance.now();
    if (left <= 0) return;
    if (left > TIMER_MS) await sleep(left - TIMER_MS + 1);
    else if (left > TURN_MS) await turn();
  }
}
