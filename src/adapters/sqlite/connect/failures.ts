import { SeqqaError } from "../../../model/errors.ts";
import type { Life, Owner } from "../journal/owner.ts";

/** The longest time, in milliseconds, that a restore waits for the target to end its open write transaction. */
export const BUSY_LIMIT_MS = 5000;
/**
 * The longest time, in milliseconds, that SQLite itself waits for a lock. Such a wait blocks this thread. A longer wait could prevent a target in
 * this thread from ending the transaction that holds the lock.
 */
export const BUSY_WAIT_MS = 20;

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith("SQLITE_BUSY") || codeOf(error).startsWith("SQLITE_LOCKED");
}

/** Returns `true` if a virtual table cannot be read because only the target loads its extension. */
export function isOfExtension(error: unknown): boolean {
  return (
    codeOf(error) === "SQLITE_ERROR" &&
    /^(?:no such|unknown) (?:module|tokenizer)|^vtable constructor failed/.test(String((error as Error).message))
  );
}

export function busyError(file: string, limitMs: number): (cause: unknown) => SeqqaError {
  return (cause) =>
    new SeqqaError(
      "STORE_BUSY",
      `seqqa waited ${limitMs / 1000} s for the lock on the SQLite file ${file}, but another connection keeps a transaction open.`,
      {
        hint: "Make the target commit its transactions and close its cursors before it answers. End other runs that use this file.",
        cause,
      },
    );
}

export function openError(file: string, cause: unknown): unknown {
  if (cause instanceof SeqqaError || isBusy(cause)) return cause;
  const code = codeOf(cause);
  if (code === "SQLITE_NOTADB") {
    return new SeqqaError("STORE_NOT_A_DATABASE", `The file ${file} is not a SQLite database.`, {
      hint: "Check the path in the store's URL (db_url or systems).",
      exitStatus: 2,
      cause,
    });
  }
  if (code.startsWith("SQLITE_CORRUPT")) {
    return new SeqqaError("STORE_CORRUPT", `The SQLite file ${file} is damaged.`, {
      hint: 'Type: sqlite3 <file> "pragma integrity_check". If this command reports errors, restore the file from a backup.',
      exitStatus: 2,
      cause,
    });
  }
  if (code.startsWith("SQLITE_READONLY") || code === "SQLITE_PERM" || code === "EACCES" || code === "EROFS" || code === "EPERM") {
    return new SeqqaError("STORE_NOT_WRITABLE", `seqqa cannot write to the SQLite file ${file}.`, {
      hint: "Make the file and its directory writable. seqqa must write to the file to undo the target's changes.",
      exitStatus: 2,
      cause,
    });
  }
  if (code === "SQLITE_CANTOPEN" || cause instanceof TypeError || code === "ENOENT") {
    return new SeqqaError("STORE_NOT_FOUND", `seqqa cannot open the SQLite file ${file}.`, {
      hint: "Check that the file exists, that the target uses the same file, and that the directory is writable.",
      exitStatus: 2,
      cause,
    });
  }
  return cause;
}

export function schemaChanged(file: string, what: string): SeqqaError {
  return new SeqqaError("SCHEMA_CHANGED", `The schema of the SQLite file ${file} changed after seqqa had read it: ${what}.`, {
    hint: 'Change the schema before the target answers target.ready, or list the request that changes it under `target.warm_up`. Or set `checkpoint: "copy"`, which restores the schema, too.',
  });
}

export function notPutBack(file: string, cause: unknown): SeqqaError {
  return new SeqqaError(
    "STORE_NOT_PUT_BACK",
    `seqqa could not restore the SQLite file ${file}: ${cause instanceof Error ? cause.message : String(cause)}.`,
    {
      hint: 'Set `checkpoint: "copy"` for this store: seqqa then restores the whole file from a copy.',
      cause,
    },
  );
}

/**
 * Returns the error for an external file to which a program wrote whose clock is `seconds` ahead. By this clock the lease had ended, so the triggers
 * did not log the writes.
 */
export function clockDiffers(file: string, seconds: number): SeqqaError {
  return new SeqqaError(
    "CLOCK_DIFFERS",
    `The clock of a program that writes to the SQLite file ${file} is about ${seconds} s ahead of seqqa's clock. seqqa's triggers did not log what this program wrote, so seqqa cannot undo it.`,
    {
      hint: "Compare the file with a backup that was made before the run, look for rows that the program has changed, and correct these rows. To prevent the error, set the clock of the program's machine, or start the program without libfaketime. To let seqqa set the target's time, use `systems.clock`.",
      exitStatus: 3,
    },
  );
}

/** Returns the error for an external file that another run uses, or may be using. */
export function inUse(file: string, owner: Owner, life: Life): SeqqaError {
  const host = owner.host.replaceAll(/[^\x21-\x7e]/g, "?").slice(0, 64);
  return new SeqqaError("STORE_IN_USE", `Another run of seqqa is using the SQLite file ${file} (process ${owner.pid} on ${host}).`, {
    hint:
      life === "elsewhere"
        ? 'Wait until the other run has ended. If the other run crashed, type: sqlite3 <file> "update seqqa_owner set pid = 0". Then run `seqqa clean`, which restores the data.'
        : "Wait until the other run has ended, or end the other run. To start both runs at the same time, give each run its own file.",
    exitStatus: 2,
  });
}

/** Returns the error for an external file whose changes by a dead run cannot be undone. */
export function cannotRecover(file: string, why: string, hint: string = OTHER_VERSION): SeqqaError {
  return new SeqqaError(
    "STORE_NOT_PUT_BACK",
    `seqqa cannot restore the data that an earlier run changed in the SQLite file ${file}: ${why}.`,
    { hint },
  );
}

const OTHER_VERSION =
  "Run `seqqa clean` of that version. The recorded rows are in the table seqqa_kept: save this table before you drop seqqa's tables and triggers, whose names begin with seqqa_.";

/** Returns the error for a table that was dropped or altered during a run in place. Everything that the journal contains was restored. */
export function partlyPutBack(file: string, what: string): SeqqaError {
  return new SeqqaError(
    "STORE_NOT_PUT_BACK",
    `In the SQLite file ${file}, ${what} during the run. seqqa cannot undo this, but has restored everything else.`,
    {
      hint: "Compare the definition and the rows of the named table with a backup that was made before the run, and correct the differences. seqqa has removed its own tables and triggers from the file.",
      exitStatus: 3,
    },
  );
}
