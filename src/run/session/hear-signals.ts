import { setImmediate } from "node:timers/promises";

/** Waits until signals that arrived while this thread was busy have been delivered to their listeners. */
export async function hearSignals(): Promise<void> {
  // Wait two turns of the event loop, because in the first turn the loop may not have polled for signals yet.
  await setImmediate();
  await setImmediate();
}
