import { setTimeout as pause } from "node:timers/promises";

const PAUSE_MS = 2;

/** Calls `look` every few milliseconds until `look` returns a value, and returns this value. Returns `undefined` if `done` settles first. */
export async function lookUntil<T>(look: () => Promise<T | undefined>, done: Promise<unknown>): Promise<T | undefined> {
  let over = false;
  const end = (): void => void (over = true);
  const ended = done.then(end, end);
  for (;;) {
    const last = over;
    const found = await look();
    if (found !== undefined || last) return found;
    await Promise.race([ended, pause(PAUSE_MS)]);
  }
}
