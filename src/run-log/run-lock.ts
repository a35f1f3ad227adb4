import { rmSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { SeqqaError } from "../model/errors.ts";
import { openSqlite } from "../stores/sqlite-driver.ts";

/** Suffix of a run log's lock, after the name of its file. */
export const LOCK_SUFFIX = "-lock";

/**
 * Shows that a process writes a run. The system holds the lock on a file beside the run log while the process lives, so the lock is released however
 * the process ends.
 */
export class RunLock {
  readonly #file: string;
  readonly #db: Database;

  /** Takes the lock. @throws SeqqaError `RUN_GOES_ON` with exit status 2 if another process has it; errors of the file system */
  constructor(file: string) {
    this.#file = `${file}${LOCK_SUFFIX}`;
    this.#db = openSqlite(this.#file, { timeout: 0 });
    try {
      // Nothing is ever written, so no journal file is made.
      this.#db.pragma("journal_mode = MEMORY");
      this.#db.exec("BEGIN EXCLUSIVE");
    } catch (cause) {
      this.#db.close();
      if ((cause as { readonly code?: unknown }).code !== "SQLITE_BUSY") throw cause;
      throw new SeqqaError("RUN_GOES_ON", `The run in ${file} is being written by another process.`, {
        exitStatus: 2,
        hint: "Wait until that process has ended, or end it.",
        cause,
      });
    }
  }

  release(): void {
    // The file goes first, so that no other process locks a file that is about to be deleted.
    rmSync(this.#file, { force: true });
    this.#db.close();
  }
}

/** Refuses a run that another process is writing. @throws SeqqaError `RUN_GOES_ON` with exit status 2 */
export function refuseWritten(file: string): void {
  try {
    new RunLock(file).release();
  } catch (error) {
    // If the folder cannot be written, the write itself will report that.
    if (error instanceof SeqqaError) throw error;
  }
}
