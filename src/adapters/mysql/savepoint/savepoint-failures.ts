import { SeqqaError } from "../../../model/errors.ts";
import { errnoOf, safeCause } from "../connect/failures.ts";
import type { StoreUrl } from "../connect/store-url.ts";

export function connectionShared({ shown }: StoreUrl, limitMs: number): SeqqaError {
  return new SeqqaError(
    "CONNECTION_SHARED",
    `A query on the shared connection to ${shown} waited ${limitMs / 1000} s, because another connection of the target's pool kept a transaction open.`,
    {
      hint: 'All connections of the pool share one database connection. While a transaction is open, send all queries on its connection. Release this connection only after COMMIT or ROLLBACK. Or set `checkpoint: "journal"`, and let the target connect to lane.dbUrl.',
    },
  );
}

export function transactionOpen({ shown }: StoreUrl, limitMs: number): SeqqaError {
  return new SeqqaError("STORE_BUSY", `The target kept a transaction on the shared connection to ${shown} open for ${limitMs / 1000} s.`, {
    hint: "Make the target commit or roll back before it answers, even when a request fails. If autocommit is off, a SELECT also begins a transaction.",
  });
}

export function connectionClosed({ shown }: StoreUrl): SeqqaError {
  return new SeqqaError(
    "CONNECTION_CLOSED",
    `The target used the shared connection to ${shown} after its lane had ended, so the connection is closed.`,
    { hint: "Stop the timers and other work of the target in the function `close` of the object that createTarget(lane) returns." },
  );
}

/** Returns the error for a statement of the target that was not sent, because it would have ended the exploring transaction. */
export function statementRefused({ shown }: StoreUrl, what: string, why: string, instead: string): SeqqaError {
  return new SeqqaError("STATEMENT_REFUSED", `seqqa did not execute ${what} on the shared connection to ${shown}: ${why}.`, {
    hint: `${instead}. Or set \`checkpoint: "copy"\`, which restores such changes, too, and let the target connect to lane.dbUrl.`,
  });
}

export function savepointLost(store: StoreUrl, why: string, error?: unknown): SeqqaError {
  const cause = error === undefined ? undefined : safeCause(store, error);
  const says = cause === undefined ? why : `${why}: ${cause.message}`;
  return new SeqqaError(
    "SAVEPOINT_LOST",
    `The transaction that seqqa holds open on ${store.shown} during the exploration has ended too early: ${says}.`,
    {
      hint: 'seqqa starts the lane again. If the target ended the transaction, for example by DDL or by COMMIT in a procedure, set `checkpoint: "journal"` or `"copy"`, and let the target connect to lane.dbUrl.',
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

export function cannotSavepoint({ shown }: StoreUrl, why: string): SeqqaError {
  return new SeqqaError("SAVEPOINT_HINDERED", `${shown} cannot use checkpoint mode "savepoint": ${why}.`, {
    hint: 'If the engine of a table is the cause, type ALTER TABLE ... ENGINE = InnoDB. Otherwise set `checkpoint: "journal"` or `"copy"`, and let the target connect to lane.dbUrl.',
    exitStatus: 2,
  });
}

export function notPortable(): SeqqaError {
  return new SeqqaError(
    "NOT_PORTABLE",
    'A checkpoint of the mode "savepoint" cannot be copied to another lane, because it exists only on one database connection.',
    { hint: 'Set `checkpoint: "journal"`, and let the target connect to lane.dbUrl.' },
  );
}

/** Returns `true` for errors after which the server has rolled back the whole transaction: lock table full, deadlock, XA deadlock. */
export function rollsBackAll(error: unknown): boolean {
  return [1206, 1213, 1614].includes(errnoOf(error));
}

export function likeServer(errno: number, code: string, sqlState: string, message: string, sql: string): Error {
  return Object.assign(new Error(message), { code, errno, sqlState, sqlMessage: message, sql });
}
