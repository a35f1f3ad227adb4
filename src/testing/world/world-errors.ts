import { SeqqaError } from "../../model/errors.ts";

/** Hints for errors that occur when a checkpoint is restored and that a test can cause, by error code. */
const HINTS: Readonly<Record<string, (name: string) => string>> = {
  STORE_BUSY: (name) =>
    `End all transactions before ${name} ends: commit or roll back, close cursors, release connections, also in the application.`,
  SCHEMA_CHANGED: () =>
    "Migrate before openWorld; or choose the checkpoint clone (PostgreSQL) or copy (SQLite, MariaDB), which restores the schema, too.",
};

/** Returns the error for a failed restore. Its message names the checkpoint, which is usually the name of a test. */
export function notRestored(checkpoint: string, cause: unknown): SeqqaError {
  return renamed(checkpoint, `The checkpoint ${quoted(checkpoint)} could not be restored`, cause);
}

/** Returns the error for a checkpoint that could not be taken. */
export function notTaken(checkpoint: string, cause: unknown): SeqqaError {
  return renamed(checkpoint, `The checkpoint ${quoted(checkpoint)} could not be taken`, cause);
}

export function lateWrite(checkpoint: string, stores: readonly string[]): SeqqaError {
  return new SeqqaError("LATE_WRITE", `After ${quoted(checkpoint)} was restored, something wrote to ${stores.join(", ")}; it was undone.`, {
    hint: `Make ${quoted(checkpoint)} wait until its writes are done, also those of the application. If the write is intended, take a checkpoint before it; if it does not matter, set lateWrites: "undo".`,
  });
}

export function checkpointOver(checkpoint: string): SeqqaError {
  return new SeqqaError(
    "CHECKPOINT_OVER",
    `${quoted(checkpoint)} cannot be restored: it was ended, or an older checkpoint was restored before.`,
    {
      hint: "Restore the newest checkpoint first. Tests that run at the same time need a world each.",
    },
  );
}

export function worldClosed(): SeqqaError {
  return new SeqqaError("WORLD_CLOSED", "The world is closed.", { hint: "Close it after the last test." });
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
