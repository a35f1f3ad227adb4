import { isPromise, type Awaitable } from "../../model/system.ts";
import { attempt, lastly } from "../../systems/index.ts";
import { connect, prepareControl } from "./connect.ts";
import { openBeside, putPages, removeBeside, removeOrphans } from "./copy-beside.ts";
import { BUSY_LIMIT_MS, busyError, inUse, isBusy } from "./failures.ts";
import { lifeOf, readOwner, release, stamp, writing, type Owner } from "./owner.ts";
import { putBackKept } from "./put-back-kept.ts";

/**
 * Puts a file of the user's back to what it was when a run that is dead now opened it, and removes what that run installed. What
 * `mine` names is gone on with, and left.
 *
 * @returns whether there was something
 * @throws SeqqaError `STORE_IN_USE` when its run is alive, or may be; `STORE_NOT_PUT_BACK`, `STORE_BUSY`
 */
export function takeOver(file: string, mine?: string): Awaitable<boolean> {
  const claimed = patiently(file, () => claim(file, mine));
  return isPromise(claimed) ? claimed.then((owner) => recover(file, owner)) : recover(file, claimed);
}

/** Becomes the owner of what a dead run left, so that no other run does the same at once. */
function claim(file: string, mine: string | undefined): Owner | undefined {
  const db = connect(file);
  try {
    // Most files hold nothing of ours: they are not even locked.
    if (readOwner(db) === undefined) return undefined;
    return writing(db, () => {
      const owner = readOwner(db);
      if (owner === undefined || (owner.token !== "" && owner.token === mine)) return undefined;
      const life = lifeOf(owner);
      if (life !== "dead") throw inUse(file, owner, life);
      stamp(db, owner.token, owner.mode);
      return owner;
    });
  } finally {
    db.close();
  }
}

function recover(file: string, owner: Owner | undefined): Awaitable<boolean> {
  if (owner === undefined) return false;
  if (owner.mode === "copy") return putCopyBack(file, owner.token).then(() => true);
  return lastly(
    () =>
      patiently(file, () => {
        const db = connect(file);
        try {
          prepareControl(db);
          putBackKept(db, file);
          return true;
        } finally {
          db.close();
        }
      }),
    () => release(owner.token),
  );
}

/** Puts the copy back that lies beside a borrowed file; with that everything of ours is gone. */
export async function putCopyBack(file: string, token: string, limitMs?: number): Promise<void> {
  try {
    const source = openBeside(file, token);
    try {
      await putPages(source, file, limitMs);
    } finally {
      source.close();
    }
    removeBeside(file, token);
  } finally {
    release(token);
  }
}

/** Removes copies beside a file that a run left which died before it had begun. */
export function sweepBeside(file: string): Awaitable<number> {
  return patiently(file, () => {
    const db = connect(file);
    try {
      return writing(db, () => (readOwner(db) === undefined ? removeOrphans(file) : 0));
    } finally {
      db.close();
    }
  });
}

function patiently<T>(file: string, action: () => T): Awaitable<T> {
  return attempt(action, isBusy, BUSY_LIMIT_MS, busyError(file, BUSY_LIMIT_MS));
}
