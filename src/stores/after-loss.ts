import { setTimeout as pause } from "node:timers/promises";

/** Pauses before each retry. A session that is ended after every one of them is ended on purpose. */
const PAUSES_MS = [100, 500, 2000];

/** Runs `work` again from its beginning when its session ended meanwhile. `work` must be safe to repeat. */
export async function afterLoss<T>(work: () => Promise<T>, isLost: (error: unknown) => boolean): Promise<T> {
  for (const wait of PAUSES_MS) {
    try {
      return await work();
    } catch (error) {
      if (!isLost(error)) throw error;
      await pause(wait);
    }
  }
  return work();
}

/** Repeats `read` once, at once, when its session ended meanwhile. `read` must not write. */
export async function onceMoreAfterLoss<T>(read: () => Promise<T>, isLost: (error: unknown) => boolean): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isLost(error)) throw error;
    return read();
  }
}
