import { setTimeout as pause } from "node:timers/promises";

/** A session that is ended again and again is ended by somebody who means it. */
const PAUSES_MS = [100, 500, 2000];

/** Does again, from its beginning, what its session was ended in the middle of. The work must be such that it can be. */
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

/** Does what only reads once more, at once, where its session was ended meanwhile. */
export async function onceMoreAfterLoss<T>(read: () => Promise<T>, isLost: (error: unknown) => boolean): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isLost(error)) throw error;
    return read();
  }
}
