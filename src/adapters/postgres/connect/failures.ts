import { SeqqaError } from "../../../model/errors.ts";
import { withoutSecrets, type StoreUrl } from "./store-url.ts";

export { BUSY_LIMIT_MS } from "../../../stores/connect/control-connection.ts";

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

function messageOf(error: unknown): string {
  // If the driver tried several addresses, the error is an AggregateError without a message. Use the first inner error of the AggregateError.
  const inner = (error as { errors?: readonly unknown[] } | null)?.errors?.[0];
  if (inner !== undefined) return messageOf(inner);
  return error instanceof Error ? error.message : String(error);
}

/** Returns an error that contains the driver's message and code, but no URL or password. */
export function safeCause(store: StoreUrl, error: unknown): Error & { readonly code: string } {
  const cause = new Error(withoutSecrets(messageOf(error), store));
  return Object.assign(cause, { code: codeOf(error) });
}

/** Returns `true` if a statement failed because of another session: by a lock, a deadlock, a serialization failure, or a database in use. */
export function isBusy(error: unknown): boolean {
  return ["55P03", "40P01", "40001", "55006"].includes(codeOf(error));
}

export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  return (
    /^(?:57P0[1-4]|08...|ECONN.*|EPIPE|ETIMEDOUT)$/.test(code) || /Connection (?:terminated|ended)|not queryable/i.test(messageOf(error))
  );
}

export function connectError(store: StoreUrl, error: unknown): SeqqaError {
  if (error instanceof SeqqaError) return error;
  const code = codeOf(error) || codeOf((error as { errors?: readonly unknown[] } | null)?.errors?.[0]);
  const cause = safeCause(store, error);
  // If the server cannot be reached, the exit status is 3, as for an unreachable target. All other errors are mistakes in the configuration.
  const make = (name: string, message: string, hint: string): SeqqaError =>
    new SeqqaError(name, message, { hint, exitStatus: name === "STORE_UNREACHABLE" ? 3 : 2, cause });
  if (code === "3D000") {
    return make(
      "STORE_MISSING",
      `The database "${store.database}" does not exist at ${store.shown}.`,
      "Check the name of the database in the store's URL, or create the database.",
    );
  }
  if (code.startsWith("28")) {
    return make(
      "STORE_NOT_ALLOWED",
      `The server of ${store.shown} refused the login: ${cause.message}.`,
      "Check the user and the password in the store's URL, and the server's pg_hba.conf.",
    );
  }
  if (code === "42501") {
    return make(
      "STORE_NOT_ALLOWED",
      `The role in the URL of ${store.shown} lacks a privilege: ${cause.message}.`,
      "Use a role that is allowed to connect to this database, or grant the missing privilege.",
    );
  }
  if (code === "53300") {
    return make(
      "STORE_UNREACHABLE",
      `The server of ${store.shown} accepts no more connections, because its limit is reached.`,
      "Raise the server's max_connections, or use fewer lanes (--parallel).",
    );
  }
  return make(
    "STORE_UNREACHABLE",
    `seqqa cannot connect to the database ${store.shown}: ${cause.message === "" ? code : cause.message}.`,
    "Check that the server runs, and check the host and the port in the store's URL.",
  );
}

export function busyError(store: StoreUrl, limitMs: number, who: string): SeqqaError {
  return new SeqqaError("STORE_BUSY", `seqqa waited ${limitMs / 1000} s for other sessions of the database ${store.shown}, but ${who}.`, {
    hint: "Make the target end its transactions before it answers. End other runs that use this database, and close all psql sessions on it.",
  });
}

export function lostError(store: StoreUrl, error: unknown): SeqqaError {
  return new SeqqaError("STORE_LOST", `The connection to ${store.shown} was lost: ${safeCause(store, error).message}.`, {
    hint: "Read the server's log: the server may have restarted or ended the session.",
    cause: safeCause(store, error),
  });
}

export function schemaChanged(store: StoreUrl, what: string): SeqqaError {
  return new SeqqaError("SCHEMA_CHANGED", `The schema of ${store.shown} changed after seqqa had read it: ${what}.`, {
    hint: 'Change the schema before the target answers target.ready, or list the request that changes it under `target.warm_up`. Or set `checkpoint: "clone"`, which restores the schema, too.',
  });
}

export function incoherent(store: StoreUrl, what: string): SeqqaError {
  return new SeqqaError("JOURNAL_INCOHERENT", `seqqa's log of changed rows does not match the rows in ${store.shown}: ${what}.`, {
    hint: 'Set `checkpoint: "clone"` for this store. Some statement changed rows without firing triggers, so seqqa did not record the change.',
  });
}

/** The SQLSTATE of a server that has no memory left for locks. */
const OUT_OF_LOCKS = "53200";

export function notPutBack(store: StoreUrl, error: unknown): SeqqaError {
  const cause = safeCause(store, error);
  return new SeqqaError("STORE_NOT_PUT_BACK", `seqqa could not restore the database ${store.shown}: ${cause.message}.`, {
    hint:
      cause.code === OUT_OF_LOCKS
        ? "Raise the server's max_locks_per_transaction, and restart the server. Then run `seqqa clean`, if the run used the database in place."
        : 'Set `checkpoint: "clone"` for this store: seqqa then restores the whole database from a copy.',
    cause,
  });
}
