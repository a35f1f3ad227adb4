import { setTimeout as pause } from "node:timers/promises";

/** The pauses, in milliseconds, before the retries of work whose database session was lost. If the last retry fails, too, its error is thrown. */
const PAUSES_MS = [100, 500, 2000];

/** Runs `work`. If the database session is lost during `work`, runs `work` again from its beginning, so `work` must be safe to repeat. */
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

/** Runs `read`. If the database session is lost during `read`, runs `read` once more, without a pause. `read` must not write. */
export async function onceMoreAfterLoss<T>(read: () => Promise<T>, isLost: (error: unknown) => boolean): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isLost(error)) throw error;
    return read();
  }
}
