import { rmSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { SeqqaError } from "../model/errors.ts";
import { openSqlite } from "../stores/sqlite-driver.ts";

/** The name of the lock of a store, after that of its file. */
export const LOCK_SUFFIX = "-lock";

/**
 * Says that a process writes a run. It is a lock that the system holds on a file beside the store, as long as the process lives: whatever ends the process,
 * nobody has to find out whether it is gone.
 */
export class RunLock {
  readonly #file: string;
  readonly #db: Database;

  /** @throws SeqqaError `RUN_GOES_ON` with exit status 2 when another process has it; what the file system says */
  constructor(file: string) {
    this.#file = `${file}${LOCK_SUFFIX}`;
    this.#db = openSqlite(this.#file, { timeout: 0 });
    try {
      // Nothing is ever written, so that nothing lies beside it either.
      this.#db.pragma("journal_mode = MEMORY");
      this.#db.exec("BEGIN EXCLUSIVE");
    } catch (cause) {
      this.#db.close();
      if ((cause as { readonly code?: unknown }).code !== "SQLITE_BUSY") throw cause;
      throw new SeqqaError("RUN_GOES_ON", `The run in ${file} is being written by another process.`, {
        exitStatus: 2,
        hint: "Wait until it is over, or end it.",
        cause,
      });
    }
  }

  release(): void {
    // First the file, so that nobody locks one that is about to go.
    rmSync(this.#file, { force: true });
    this.#db.close();
  }
}

/** Nobody else writes a run at this moment. @throws SeqqaError `RUN_GOES_ON` with exit status 2 */
export function refuseWritten(file: string): void {
  try {
    new RunLock(file).release();
  } catch (error) {
    // Where nothing can be written, whoever is about to write says so.
    if (error instanceof SeqqaError) throw error;
  }
}
