import { syncBuiltinESMExports } from "node:module";
import promises from "node:timers/promises";
import { afterEach, beforeEach, vi } from "vitest";

/** Everything by which code reads the time or waits for it. The turns of the event loop stay real. */
const OF_TIME = ["Date", "performance", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] as const;

/** `setTimeout` of node:timers/promises, which the sources import by name and Vitest leaves as it is. */
const { setTimeout: realPause } = promises;
const leapingPause: typeof realPause = (ms, value, { signal } = {}) =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => resolve(value!), ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason as Error)), { once: true });
  });

/**
 * Gives the tests of a file a clock that leaps to the next timer whenever all code waits for one, so that no test waits in real time. Time stands
 * still while code computes. Only for tests without concurrency, and without sockets, files or processes that could answer during a leap.
 */
export function leapsInTime(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: [...OF_TIME] }).setTimerTickMode("nextTimerAsync");
    usePause(leapingPause);
  });
  afterEach(() => {
    vi.useRealTimers();
    usePause(realPause);
  });
}

function usePause(pause: typeof realPause): void {
  promises.setTimeout = pause;
  syncBuiltinESMExports();
}
