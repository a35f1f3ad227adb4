import { rmSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { SeqqaError } from "../model/errors.ts";
import { openSqlite } from "../stores/connect/sqlite-driver.ts";

/** The suffix of the lock file of a run log. */
export const LOCK_SUFFIX = "-lock";

/**
 * A lock that shows that a process is writing a run. The lock is on a file beside the run log. The operating system releases the lock however the
 * process ends.
 */
export class RunLock {
  readonly #file: string;
  readonly #db: Database;

  /** Takes the lock of a run. @throws SeqqaError `RUN_GOES_ON` with exit status 2 if another process has the lock, and errors of the file system */
  constructor(file: string) {
    this.#file = `${file}${LOCK_SUFFIX}`;
    this.#db = openSqlite(this.#file, { timeout: 0 });
    try {
      // Keep SQLite's journal in memory, so that no other file is created. Nothing is written to the lock file.
      this.#db.pragma("journal_mode = MEMORY");
      this.#db.exec("BEGIN EXCLUSIVE");
    } catch (cause) {
      this.#db.close();
      if ((cause as { readonly code?: unknown }).code !== "SQLITE_BUSY") throw cause;
      throw new SeqqaError("RUN_GOES_ON", `Another process is using the run in ${file}, for example seqqa run.`, {
        exitStatus: 2,
        hint: "Wait until the other process has ended, or end it.",
        cause,
      });
    }
  }

  release(): void {
    // Delete the file before releasing the lock. Otherwise, another process could lock the file just before it is deleted.
    rmSync(this.#file, { force: true });
    this.#db.close();
  }
}

/** Checks that no process is writing the run. @throws SeqqaError `RUN_GOES_ON` with exit status 2 if one is */
export function refuseWritten(file: string): void {
  try {
    new RunLock(file).release();
  } catch (error) {
    // Ignore other errors, such as a folder that is not writable, because the next write to the run log reports them.
    if (error instanceof SeqqaError) throw error;
  }
}
