import { SeqqaError } from "../../../model/errors.ts";
import { safeCause } from "../connect/failures.ts";
import type { StoreUrl } from "../connect/store-url.ts";

export function connectionShared({ shown }: StoreUrl, limitMs: number): SeqqaError {
  return new SeqqaError(
    "CONNECTION_SHARED",
    `A query on the shared connection to ${shown} waited ${limitMs / 1000} s for the transaction of another client.`,
    {
      hint: 'All clients of a lane share one connection: do not wait for one of them inside a transaction of another, and release clients only after COMMIT or ROLLBACK. Or choose `checkpoint: "journal"`.',
    },
  );
}

export function transactionOpen({ shown }: StoreUrl, limitMs: number): SeqqaError {
  return new SeqqaError("STORE_BUSY", `The target kept a transaction on the shared connection to ${shown} open for ${limitMs / 1000} s.`, {
    hint: "Make the target commit or roll back each transaction before it answers, even when a request fails.",
  });
}

export function connectionClosed({ shown }: StoreUrl): SeqqaError {
  return new SeqqaError("CONNECTION_CLOSED", `The shared connection to ${shown} was closed: its lane has ended.`);
}

export function savepointLost(store: StoreUrl, error: unknown): SeqqaError {
  const cause = safeCause(store, error);
  return new SeqqaError("SAVEPOINT_LOST", `The transaction that explores ${store.shown} no longer exists: ${cause.message}.`, {
    hint: 'Its changes are lost, and the lane is rebuilt. If the target ends transactions by itself, choose `checkpoint: "journal"`.',
    cause,
  });
}

export function cannotSavepoint({ shown }: StoreUrl, why: string): SeqqaError {
  return new SeqqaError("SAVEPOINT_HINDERED", `Checkpoint mode "savepoint" cannot be used on ${shown}: ${why}.`, {
    hint: 'Let the target connect by itself, with `checkpoint: "journal"` or `"clone"`.',
    exitStatus: 2,
  });
}

export function notPortable(): SeqqaError {
  return new SeqqaError("NOT_PORTABLE", "A savepoint cannot be used outside its connection.");
}
