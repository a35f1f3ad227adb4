import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import { SeqqaError } from "../../../model/errors.ts";
import { BUSY_LIMIT_MS, busyError, isBusy, notPutBack } from "../connect/failures.ts";

/** Writes all pages of a database into a live file, and waits for its lock. */
export async function putPages(source: Database, file: string, limitMs: number = BUSY_LIMIT_MS): Promise<void> {
  try {
    const deadline = performance.now() + limitMs;
    while (!(await backedUp(source, file))) {
      if (performance.now() >= deadline) throw busyError(file, limitMs)(undefined);
      await pause(5);
    }
  } catch (error) {
    throw error instanceof SeqqaError ? error : notPutBack(file, error);
  }
}

/** Returns `false` for a locked file: a backup into it does nothing, and shows this only by a page count of 0. */
async function backedUp(source: Database, file: string): Promise<boolean> {
  try {
    return (await source.backup(file)).totalPages > 0;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
