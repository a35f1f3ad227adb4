import { SeqqaError } from "../../../model/errors.ts";
import type { Life, Owner } from "../journal/owner.ts";

/** The longest time, in milliseconds, that a restore waits for the target to end its open write transaction. */
export const BUSY_LIMIT_MS = 5000;
/**
 * The longest time, in milliseconds, that SQLite itself waits for a lock. Longer waits would block this thread, in which the target may have to
 * finish its transaction.
 */
export const BUSY_WAIT_MS = 20;

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith("SQLITE_BUSY") || codeOf(error).startsWith("SQLITE_LOCKED");
}

export function busyError(file: string, limitMs: number): (cause: unknown) => SeqqaError {
  return (cause) =>
    new SeqqaError(
      "STORE_BUSY",
      `The SQLite file ${file} stayed locked for ${limitMs / 1000} s: another connection keeps a transaction open.`,
      {
        hint: "Let the target commit before it answers, or close its open cursors. End other runs on the same file.",
        cause,
      },
    );
}

export function openError(file: string, cause: unknown): unknown {
  if (cause instanceof SeqqaError || isBusy(cause)) return cause;
  const code = codeOf(cause);
  if (code === "SQLITE_NOTADB") {
    return new SeqqaError("STORE_NOT_A_DATABASE", `The file ${file} is not a SQLite database.`, {
      hint: "Check the path.",
      exitStatus: 2,
      cause,
    });
  }
  if (code.startsWith("SQLITE_CORRUPT")) {
    return new SeqqaError("STORE_CORRUPT", `The SQLite file ${file} is damaged.`, {
      hint: "Run `pragma integrity_check` on it.",
      exitStatus: 2,
      cause,
    });
  }
  if (code.startsWith("SQLITE_READONLY") || code === "SQLITE_PERM" || code === "EACCES" || code === "EROFS" || code === "EPERM") {
    return new SeqqaError("STORE_NOT_WRITABLE", `The SQLite file ${file} cannot be written.`, {
      hint: "Make the file and its directory writable: seqqa restores what the target changed.",
      exitStatus: 2,
      cause,
    });
  }
  if (code === "SQLITE_CANTOPEN" || cause instanceof TypeError || code === "ENOENT") {
    return new SeqqaError("STORE_NOT_FOUND", `The SQLite file ${file} cannot be opened.`, {
      hint: "Check that it exists, that the target uses this very file, and that its directory is writable.",
      exitStatus: 2,
      cause,
    });
  }
  return cause;
}

export function schemaChanged(file: string, what: string): SeqqaError {
  return new SeqqaError("SCHEMA_CHANGED", `The schema of the SQLite file ${file} changed during the exploration: ${what}.`, {
    hint: 'Let the target migrate before it is ready, or list the request that changes the schema in `target.warm_up`. Or choose `checkpoint: "copy"`, which restores the schema, too.',
  });
}

export function notPutBack(file: string, cause: unknown): SeqqaError {
  return new SeqqaError(
    "STORE_NOT_PUT_BACK",
    `The SQLite file ${file} could not be restored: ${cause instanceof Error ? cause.message : String(cause)}.`,
    {
      hint: 'Choose `checkpoint: "copy"` for this store.',
      cause,
    },
  );
}

/** Returns the error for an external file that another run uses, or may be using. */
export function inUse(file: string, owner: Owner, life: Life): SeqqaError {
  const host = owner.host.replaceAll(/[^\x21-\x7e]/g, "?").slice(0, 64);
  return new SeqqaError("STORE_IN_USE", `The SQLite file ${file} is used by another run of seqqa, process ${owner.pid} on ${host}.`, {
    hint:
      life === "elsewhere"
        ? `seqqa cannot tell from here whether that run is alive. If it has ended, type: sqlite3 <file> "update seqqa_owner set pid = 0"; the next run then restores the data.`
        : "Wait until it has ended, or end it; a second run needs a store of its own.",
    exitStatus: 2,
  });
}

/** Returns the error for an external file whose changes by a dead run cannot be undone. */
export function cannotRecover(file: string, why: string): SeqqaError {
  return new SeqqaError("STORE_NOT_PUT_BACK", `The SQLite file ${file} cannot be restored to what it was before a run of seqqa: ${why}.`, {
    hint: "Restore it from a backup; or keep it as it is now, and drop the tables and triggers in it whose names begin with seqqa_.",
  });
}
