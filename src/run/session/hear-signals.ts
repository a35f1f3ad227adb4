import { setImmediate } from "node:timers/promises";

/** Delivers signals that arrived while this thread was busy to their listeners. */
export async function hearSignals(): Promise<void> {
  // Wait two turns, because the first turn may come before the event loop has polled for signals.
  await setImmediate();
  await setImmediate();
}
