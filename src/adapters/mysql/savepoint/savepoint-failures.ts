import { SeqqaError } from "../../../model/errors.ts";
import { errnoOf, safeCause } from "../connect/failures.ts";
import type { StoreUrl } from "../connect/store-url.ts";

export function connectionShared({ shown }: StoreUrl, limitMs: number): SeqqaError {
  return new SeqqaError(
    "CONNECTION_SHARED",
    `A query on the shared connection to ${shown} waited ${limitMs / 1000} s for the transaction of another connection of the pool.`,
    {
      hint: "All connections in a lane's pool share one database connection: do not wait for one of them inside a transaction of another, and release them only after COMMIT or ROLLBACK. Or choose `checkpoint: \"journal\"` and connect with the lane's own URL.",
    },
  );
}

export function transactionOpen({ shown }: StoreUrl, limitMs: number): SeqqaError {
  return new SeqqaError("STORE_BUSY", `The target kept a transaction on the shared connection to ${shown} open for ${limitMs / 1000} s.`, {
    hint: "Let the target commit or roll back before it answers, even when a request fails. With autocommit off, a SELECT begins a transaction, too.",
  });
}

export function connectionClosed({ shown }: StoreUrl): SeqqaError {
  return new SeqqaError("CONNECTION_CLOSED", `The shared connection to ${shown} was closed: its lane has ended.`);
}

/** Returns the error for a statement of the target that was not sent, because it would have ended the exploring transaction. */
export function statementRefused({ shown }: StoreUrl, what: string, why: string, instead: string): SeqqaError {
  return new SeqqaError("STATEMENT_REFUSED", `${what} was refused on the shared connection to ${shown}: ${why}.`, {
    hint: `${instead}; or let the target connect by itself with \`checkpoint: "copy"\`, which restores DDL, too.`,
  });
}

export function savepointLost(store: StoreUrl, why: string, error?: unknown): SeqqaError {
  const cause = error === undefined ? undefined : safeCause(store, error);
  const says = cause === undefined ? why : `${why}: ${cause.message}`;
  return new SeqqaError("SAVEPOINT_LOST", `The transaction that explores ${store.shown} no longer exists: ${says}.`, {
    hint: 'The lane is rebuilt. If the target ends the transaction by itself, for example by DDL or COMMIT in a procedure, let it connect by itself with `checkpoint: "journal"` or `"copy"`.',
    ...(cause === undefined ? {} : { cause }),
  });
}

export function cannotSavepoint({ shown }: StoreUrl, why: string): SeqqaError {
  return new SeqqaError("SAVEPOINT_HINDERED", `Checkpoint mode "savepoint" cannot be used on ${shown}: ${why}.`, {
    hint: 'If the cause is the engine of a table, change it (ALTER TABLE ... ENGINE = InnoDB). Otherwise let the target connect by itself, with `checkpoint: "journal"` or `"copy"`.',
    exitStatus: 2,
  });
}

export function notPortable(): SeqqaError {
  return new SeqqaError("NOT_PORTABLE", "A savepoint cannot be used outside its connection.");
}

/** Returns `true` for errors after which the server has rolled back the whole transaction: lock table full, deadlock, XA deadlock. */
export function rollsBackAll(error: unknown): boolean {
  return [1206, 1213, 1614].includes(errnoOf(error));
}

export function likeServer(errno: number, code: string, sqlState: string, message: string, sql: string): Error {
  return Object.assign(new Error(message), { code, errno, sqlState, sqlMessage: message, sql });
}
