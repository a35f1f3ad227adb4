import { SeqqaError } from "../../../model/errors.ts";
import { safeCause } from "../connect/failures.ts";
import type { StoreUrl } from "../connect/store-url.ts";

export function connectionShared({ shown }: StoreUrl, limitMs: number): SeqqaError {
  return new SeqqaError(
    "CONNECTION_SHARED",
    `A query on the shared connection to ${shown} waited ${limitMs / 1000} s, because another client of the target's pool kept a transaction open.`,
    {
      hint: 'All clients of the pool share one connection. While a transaction is open, send all queries on its client. Release this client only after COMMIT or ROLLBACK. Or set `checkpoint: "journal"`, and let the target connect to lane.dbUrl.',
    },
  );
}

export function transactionOpen({ shown }: StoreUrl, limitMs: number): SeqqaError {
  return new SeqqaError("STORE_BUSY", `The target kept a transaction on the shared connection to ${shown} open for ${limitMs / 1000} s.`, {
    hint: "Make the target commit or roll back each transaction before it answers, even when a request fails.",
  });
}

export function connectionClosed({ shown }: StoreUrl): SeqqaError {
  return new SeqqaError(
    "CONNECTION_CLOSED",
    `The target used the shared connection to ${shown} after its lane had ended, so the connection is closed.`,
    { hint: "Stop the timers and other work of the target in the function `close` of the object that createTarget(lane) returns." },
  );
}

export function savepointLost(store: StoreUrl, error: unknown): SeqqaError {
  const cause = safeCause(store, error);
  return new SeqqaError(
    "SAVEPOINT_LOST",
    `The transaction that seqqa holds open on ${store.shown} during the exploration has ended too early: ${cause.message}.`,
    {
      hint: 'seqqa starts the lane again. If the target ended the transaction, set `checkpoint: "journal"`, and let the target connect to lane.dbUrl.',
      cause,
    },
  );
}

export function cannotSavepoint({ shown }: StoreUrl, why: string): SeqqaError {
  return new SeqqaError("SAVEPOINT_HINDERED", `${shown} cannot use checkpoint mode "savepoint": ${why}.`, {
    hint: 'Set `checkpoint: "journal"` or `"clone"`, and let the target connect to lane.dbUrl.',
    exitStatus: 2,
  });
}

/** Returns the error for a LISTEN of the target, which was not sent. */
export function listenRefused(store: StoreUrl): SeqqaError {
  return cannotSavepoint(store, "the target executes LISTEN, but notifications arrive after a commit, and the exploration commits nothing");
}

export function notPortable(): SeqqaError {
  return new SeqqaError(
    "NOT_PORTABLE",
    'A checkpoint of the mode "savepoint" cannot be copied to another lane, because it exists only on one database connection.',
    { hint: 'Set `checkpoint: "journal"`, and let the target connect to lane.dbUrl.' },
  );
}
