import { SeqqaError } from "../../../model/errors.ts";
import { withoutSecrets, type StoreUrl } from "./store-url.ts";

export { BUSY_LIMIT_MS } from "../../../stores/connect/control-connection.ts";

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

export function errnoOf(error: unknown): number {
  const errno = (error as { errno?: unknown } | null)?.errno;
  return typeof errno === "number" ? errno : 0;
}

function messageOf(error: unknown): string {
  const inner = (error as { errors?: readonly unknown[] } | null)?.errors?.[0];
  if (inner !== undefined) return messageOf(inner);
  return error instanceof Error ? error.message : String(error);
}

/** Returns an error that contains the driver's message and code, but no URL, password or statement. */
export function safeCause(store: StoreUrl, error: unknown): Error {
  const cause = new Error(withoutSecrets(messageOf(error), store));
  return Object.assign(cause, { code: codeOf(error), errno: errnoOf(error) });
}

/** Returns `true` for a lock wait timeout, a deadlock and a refused NOWAIT (MySQL only): another session holds a lock that the statement needs. */
export function isBusy(error: unknown): boolean {
  return [1205, 1213, 3572].includes(errnoOf(error));
}

export function isLost(error: unknown): boolean {
  return (
    [1053, 1077, 1080, 1927, 4031].includes(errnoOf(error)) ||
    /^(?:ECONN.*|EPIPE|ETIMEDOUT|PROTOCOL_CONNECTION_LOST|PROTOCOL_ENQUEUE_AFTER.*)$/.test(codeOf(error)) ||
    /connection is in closed state|Connection lost/i.test(messageOf(error))
  );
}

export function connectError(store: StoreUrl, error: unknown): SeqqaError {
  if (error instanceof SeqqaError) return error;
  const cause = safeCause(store, error);
  // If the server cannot be reached, the exit status is 3, as for an unreachable target. All other errors are mistakes in the configuration.
  const make = (name: string, message: string, hint: string): SeqqaError =>
    new SeqqaError(name, message, { hint, exitStatus: name === "STORE_UNREACHABLE" ? 3 : 2, cause });
  switch (errnoOf(error)) {
    case 1049:
      return make(
        "STORE_MISSING",
        `The database "${store.database}" does not exist at ${store.shown}.`,
        "Check the name of the database in the store's URL, or create the database.",
      );
    case 1045:
    case 1698:
      return make(
        "STORE_NOT_ALLOWED",
        // The text "password: YES" looks like a secret, which reports would hide.
        `The server of ${store.shown} refused the login: ${cause.message.replace(/ \(using password: (YES|NO)\)/, (_, used) => (used === "YES" ? ", with a password" : ", without a password"))}.`,
        "Check the user and the password in the store's URL.",
      );
    case 1040:
    case 1203:
      return make(
        "STORE_UNREACHABLE",
        `The server of ${store.shown} accepts no more connections, because its limit is reached.`,
        "Raise the server's max_connections, or use fewer lanes (--parallel).",
      );
  }
  if (isDenied(error)) {
    return make(
      "STORE_NOT_ALLOWED",
      `The database user of ${store.shown} lacks a privilege: ${cause.message}.`,
      "Grant the user this privilege, or use another user in the store's URL.",
    );
  }
  const says = cause.message === "" ? codeOf((error as { errors?: readonly unknown[] } | null)?.errors?.[0] ?? error) : cause.message;
  return make(
    "STORE_UNREACHABLE",
    `seqqa cannot connect to the database ${store.shown}: ${says}.`,
    "Check that the server runs, and check the host and the port in the store's URL.",
  );
}

/** Returns `true` if the user lacks a privilege. Error 1419: while the binary log is on, creating a trigger needs an additional privilege. */
export function isDenied(error: unknown): boolean {
  return [1044, 1095, 1142, 1143, 1227, 1370, 1419].includes(errnoOf(error));
}

/**
 * Returns the error for a routine whose definition the server does not show, because the routine belongs to another user. `routine`: e.g. `procedure
 * "cleanup"`.
 */
export function routineHidden(database: string, routine: string, definer: string): SeqqaError {
  return new SeqqaError(
    "STORE_NOT_ALLOWED",
    `The ${routine} of the database "${database}" belongs to ${definer}, and the user in the store's URL is not allowed to read its definition. seqqa needs the definition to copy the database for each lane.`,
    {
      hint: `Use ${definer} in the store's URL, or grant the current user two privileges. MariaDB: SET USER, and SELECT ON mysql.proc (from 11.3 on, SHOW CREATE ROUTINE can replace this SELECT). MySQL: SHOW_ROUTINE, and SET_ANY_DEFINER (before 8.2: SET_USER_ID).`,
      exitStatus: 2,
    },
  );
}

/** Returns `true` if KILL failed because the session no longer exists. */
export function isGone(error: unknown): boolean {
  return errnoOf(error) === 1094;
}

export function busyError(store: StoreUrl, limitMs: number, who: string): SeqqaError {
  return new SeqqaError("STORE_BUSY", `seqqa waited ${limitMs / 1000} s for other sessions of the database ${store.shown}, but ${who}.`, {
    hint: "Make the target end its transactions before it answers. End other runs and clients that use this database.",
  });
}

export function lostError(store: StoreUrl, error: unknown): SeqqaError {
  const cause = safeCause(store, error);
  return new SeqqaError("STORE_LOST", `The connection to ${store.shown} was lost: ${cause.message.replace(/\.$/, "")}.`, {
    hint: "Read the server's log: the server may have restarted or ended the session.",
    cause,
  });
}

export function schemaChanged(store: StoreUrl, what: string): SeqqaError {
  return new SeqqaError(
    "SCHEMA_CHANGED",
    `${what} of ${store.shown} was truncated, created, dropped or altered, which seqqa cannot undo.`,
    {
      hint: "TRUNCATE and DDL fire no triggers. Use DELETE instead of TRUNCATE, and run migrations before the target is ready or in `target.warm_up`. Or choose `checkpoint: copy`, which restores such changes, too.",
    },
  );
}

export function incoherent(store: StoreUrl, what: string): SeqqaError {
  return new SeqqaError("JOURNAL_INCOHERENT", `seqqa's log of changed rows does not match the rows in ${store.shown}: ${what}.`, {
    hint: "Set `checkpoint: copy` for this store. Some statement changed rows without firing triggers, so seqqa did not record the change.",
  });
}

export function rowTooLong(table: string, store?: StoreUrl): SeqqaError {
  const where = store === undefined ? "" : ` of ${store.shown}`;
  return new SeqqaError(
    "ROW_TOO_LONG",
    `seqqa cannot restore a row of table "${table}"${where}: the row is longer than the server's max_allowed_packet.`,
    {
      hint: "Type SET GLOBAL max_allowed_packet = 1073741824 on the server, and start the run again. Or make the target write shorter rows.",
    },
  );
}

/** Returns the error for a failure of one of seqqa's own statements that no other error describes. */
export function unexpected(store: StoreUrl, error: unknown): SeqqaError {
  const cause = safeCause(store, error);
  return new SeqqaError(
    "STORE_NOT_OPENED",
    `seqqa could not prepare the database ${store.shown} for the run: ${cause.message.replace(/\.$/, "")}.`,
    {
      hint: "Run `seqqa doctor` and read the server's log. If neither shows a cause, set another `checkpoint` for this store.",
      cause,
    },
  );
}

export function notPutBack(store: StoreUrl, error: unknown): SeqqaError {
  const cause = safeCause(store, error);
  return new SeqqaError("STORE_NOT_PUT_BACK", `seqqa could not restore the database ${store.shown}: ${cause.message}.`, {
    hint: "Read the server's log, or set another `checkpoint` for this store.",
    cause,
  });
}

/** Returns the error for tables and triggers that seqqa could neither complete (`why`) nor remove again (`error`). */
export function leftInstalled(store: StoreUrl, why: unknown, error: unknown): SeqqaError {
  const cause = safeCause(store, error);
  return new SeqqaError(
    "STORE_NOT_PUT_BACK",
    `seqqa could not install its triggers in ${store.shown} (${safeCause(store, why).message}), and could not remove them again: ${cause.message}. Triggers of the database may be missing.`,
    {
      hint: "Run `seqqa clean` with a database user that has all privileges. The command creates the missing triggers again. The table seqqa_journal_originals contains the CREATE TRIGGER statement of each of your triggers.",
      exitStatus: 2,
      cause,
    },
  );
}

export function cannotRecover(store: StoreUrl, why: string, hint: string): SeqqaError {
  return new SeqqaError("STORE_NOT_PUT_BACK", `seqqa cannot restore the data that an earlier run changed in ${store.shown}: ${why}.`, {
    hint,
    exitStatus: 2,
  });
}

export function partlyPutBack(store: StoreUrl, what: string): SeqqaError {
  return new SeqqaError(
    "STORE_NOT_PUT_BACK",
    `${what} of ${store.shown} was truncated, created, dropped or altered during a run. seqqa cannot undo this, but has restored everything else.`,
    {
      hint: "Compare the definition and the rows of the named object with a backup that was made before the run, and correct the differences. seqqa has removed its own tables and triggers from the database.",
      exitStatus: 3,
    },
  );
}
