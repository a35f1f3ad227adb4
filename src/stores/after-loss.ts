import { setTimeout as pause } from "node:timers/promises";

/** Milliseconds to wait before each retry. If the session ends again after every retry, someone ends it on purpose. */
const PAUSES_MS = [100, 500, 2000];

/** Repeats `work` from its beginning if the session ended in the meantime. `work` must be safe to repeat. */
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

/** Repeats `read` once, without a pause, if the session ended in the meantime. `read` must not write. */
export async function onceMoreAfterLoss<T>(read: () => Promise<T>, isLost: (error: unknown) => boolean): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isLost(error)) throw error;
    return read();
  }
}
