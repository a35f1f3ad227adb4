import { SeqqaError } from "../../model/errors.ts";

/** Hints for errors of restoring a checkpoint that a test can cause, by error code. */
const HINTS: Readonly<Record<string, (name: string) => string>> = {
  STORE_BUSY: (name) =>
    `End all transactions before the test ${name} ends: commit or roll back, close cursors, release connections, also in the application.`,
  SCHEMA_CHANGED: () =>
    "This world can no longer be restored: close it, and open a new one. To prevent the error, run migrations before openWorld(). If tests must change the schema (with MariaDB, TRUNCATE does so, too), open a separate world for these tests, without inPlace and with the checkpoint clone (PostgreSQL) or copy (SQLite, MariaDB).",
  LEASE_OVER: () =>
    "The cause is usually that the process was stopped for 30 s, for example at a breakpoint. To repair the store, set SEQQA_DB_URL to its URL, and run `seqqa clean`. To prevent the error, do not use inPlace while you debug.",
};

/** Returns the error for a world with `inPlace` that was closed while a transaction was open. Returns other errors unchanged. */
export function notClosed(cause: unknown): unknown {
  if (!(cause instanceof SeqqaError) || cause.code !== "STORE_BUSY") return cause;
  const { code, message, exitStatus } = cause;
  const left = "The changes of the tests, and the triggers of seqqa, stay in the store.";
  return new SeqqaError(code, `world.close() could not restore the store: ${message} ${left}`, {
    hint: "End all transactions before world.close(), also those of the application. To restore the store now, set SEQQA_DB_URL to its URL and run `seqqa clean`.",
    exitStatus,
    cause,
  });
}

/** Returns the error for a failed restore. Its message names the checkpoint, which is usually the name of a test. */
export function notRestored(checkpoint: string, cause: unknown): SeqqaError {
  return renamed(checkpoint, `seqqa could not restore the checkpoint ${quoted(checkpoint)}`, cause);
}

/** Returns the error for a checkpoint that could not be taken. */
export function notTaken(checkpoint: string, cause: unknown): SeqqaError {
  return renamed(checkpoint, `seqqa could not make the checkpoint ${quoted(checkpoint)}`, cause);
}

export function lateWrite(checkpoint: string, stores: readonly string[]): SeqqaError {
  return new SeqqaError(
    "LATE_WRITE",
    `Something wrote to ${stores.join(", ")} after seqqa had restored the checkpoint ${quoted(checkpoint)}. seqqa undid this write.`,
    {
      hint: `Make the test ${quoted(checkpoint)} wait until all writes are finished, including those of the application. If the write is intended, make a checkpoint before the write. If the write does not matter, set lateWrites: "undo".`,
    },
  );
}

export function checkpointOver(checkpoint: string): SeqqaError {
  return new SeqqaError(
    "CHECKPOINT_OVER",
    `seqqa cannot restore the checkpoint ${quoted(checkpoint)}, because the checkpoint was ended or an older checkpoint was restored.`,
    {
      hint: "Restore the newest checkpoint first. If tests run at the same time, open a world for each of them.",
    },
  );
}

export function worldClosed(): SeqqaError {
  return new SeqqaError("WORLD_CLOSED", "A test used a world that was already closed.", { hint: "Call close() only after the last test." });
}

function renamed(checkpoint: string, what: string, cause: unknown): SeqqaError {
  if (!(cause instanceof SeqqaError)) {
    return new SeqqaError("STORE_NOT_PUT_BACK", `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  const { code, message, hint, exitStatus } = cause;
  return new SeqqaError(code, `${what}: ${message}`, { hint: HINTS[code]?.(quoted(checkpoint)) ?? hint, exitStatus, cause });
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
