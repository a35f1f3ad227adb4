import { setImmediate } from "node:timers/promises";

/** Lets signals that came while this thread was busy reach their listeners. */
export async function hearSignals(): Promise<void> {
  // The first turn may come before the event loop has looked for signals; the second one comes after that.
  await setImmediate();
  await setImmediate();
}
