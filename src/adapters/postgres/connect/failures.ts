import { SeqqaError } from "../../../model/errors.ts";
import { withoutSecrets, type StoreUrl } from "./store-url.ts";

export { BUSY_LIMIT_MS } from "../../../stores/control-connection.ts";

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

function messageOf(error: unknown): string {
  // If the driver tried several addresses, the error is an AggregateError, which has no message of its own. Use its first inner error.
  const inner = (error as { errors?: readonly unknown[] } | null)?.errors?.[0];
  if (inner !== undefined) return messageOf(inner);
  return error instanceof Error ? error.message : String(error);
}

/** Returns an error that contains the driver's message and code, but no URL or password. */
export function safeCause(store: StoreUrl, error: unknown): Error {
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
    return make("STORE_MISSING", `There is no database "${store.database}" at ${store.shown}.`, "Check the name, or create it.");
  }
  if (code.startsWith("28")) {
    return make(
      "STORE_NOT_ALLOWED",
      `The server of ${store.shown} refused the login: ${cause.message}.`,
      "Check user, password and pg_hba.conf.",
    );
  }
  if (code === "42501") {
    return make("STORE_NOT_ALLOWED", `A privilege is missing for ${store.shown}: ${cause.message}.`, "Use a role that may connect to it.");
  }
  if (code === "53300") {
    return make(
      "STORE_UNREACHABLE",
      `The server of ${store.shown} takes no more connections.`,
      "Raise max_connections, or use fewer lanes.",
    );
  }
  return make(
    "STORE_UNREACHABLE",
    `The database ${store.shown} cannot be reached: ${cause.message === "" ? code : cause.message}.`,
    "Check that the server runs, and host and port of the URL.",
  );
}

export function busyError(store: StoreUrl, limitMs: number, who: string): SeqqaError {
  return new SeqqaError("STORE_BUSY", `The database ${store.shown} stayed busy for ${limitMs / 1000} s: ${who}.`, {
    hint: "Let the target end its transactions before it answers, and end other runs and open psql sessions on this database.",
  });
}

export function lostError(store: StoreUrl, error: unknown): SeqqaError {
  return new SeqqaError("STORE_LOST", `The connection to ${store.shown} was lost: ${safeCause(store, error).message}.`, {
    hint: "Check the server's log: it was restarted, or it ended the session.",
    cause: safeCause(store, error),
  });
}

export function schemaChanged(store: StoreUrl, what: string): SeqqaError {
  return new SeqqaError("SCHEMA_CHANGED", `The schema of ${store.shown} changed during the exploration: ${what}.`, {
    hint: 'Let the target migrate before it is ready, or list the request that changes the schema in `target.warm_up`. Or choose `checkpoint: "clone"`, which restores the schema, too.',
  });
}

export function incoherent(store: StoreUrl, what: string): SeqqaError {
  return new SeqqaError("JOURNAL_INCOHERENT", `The undo log of ${store.shown} does not agree with its rows: ${what}.`, {
    hint: 'Some statement changed rows without firing triggers. Choose `checkpoint: "clone"` for this store.',
  });
}

export function notPutBack(store: StoreUrl, error: unknown): SeqqaError {
  const cause = safeCause(store, error);
  return new SeqqaError("STORE_NOT_PUT_BACK", `The database ${store.shown} could not be restored: ${cause.message}.`, {
    hint: 'Choose `checkpoint: "clone"` for this store.',
    cause,
  });
}
