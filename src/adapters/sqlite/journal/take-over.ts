import { hasChanges, type Leftover } from "../../../model/stores/leftover.ts";
import type { Cleaning } from "../../../model/stores/store-provider.ts";
import { isPromise, type Awaitable } from "../../../model/stores/store-adapter.ts";
import { keptAtEnd, leftBehind } from "../../../stores/external/external-store.ts";
import { writeKept } from "../../../stores/external/kept-file.ts";
import { attempt, lastly } from "../../../stores/index.ts";
import { connect, prepareControl } from "../connect/connect.ts";
import { BUSY_LIMIT_MS, busyError, inUse, isBusy, partlyPutBack } from "../connect/failures.ts";
import { lifeOf, readOwner, release, stamp, writing, type Owner } from "./owner.ts";
import { putBackKept } from "./put-back-kept.ts";

/**
 * Ensures that no run uses an external file, and that no dead run left changed rows in it. Journal tables without changed rows are removed. Rows that
 * a lane of this process changed are restored if the lane's thread has ended. The journal with the token `mine` is not removed, because the caller
 * continues this journal.
 *
 * @throws SeqqaError `STORE_IN_USE` if the owner is alive or may be alive; `STORE_LEFT`; `ROWS_KEPT` or `STORE_NOT_PUT_BACK` for a lane of this
 *   process; `STORE_BUSY`
 */
export function requireUnused(file: string, mine?: string): Awaitable<void> {
  const decide = (found: Leftover | undefined): Awaitable<void> => {
    if (found === undefined) return;
    if (hasChanges(found) && !isOwnRuns(file)) throw leftBehind(found);
    let kept = "";
    const recovered = recover(file, { onKept: (leftover) => void (kept = writeKept(leftover)) });
    const judge = (leftover: Leftover | undefined): void => {
      if (leftover !== undefined && leftover.keep.length > 0) throw keptAtEnd(leftover.store, leftover.keep, kept, leftover.unlogged);
      if (leftover?.unlogged !== undefined) throw partlyPutBack(file, leftover.unlogged);
    };
    return isPromise(recovered) ? recovered.then(judge) : judge(recovered);
  };
  const found = recover(file, { dryRun: true }, mine);
  return isPromise(found) ? found.then(decide) : decide(found);
}

/**
 * Restores an external file to its content from before a run that is now dead, and removes that run's tables and triggers.
 *
 * @returns the rows that the dead run changed; `undefined` if the file contains no journal
 * @throws SeqqaError `STORE_IN_USE` if the owner is alive or may be alive; `STORE_NOT_PUT_BACK`, `STORE_BUSY`
 */
export function recover(file: string, how: Cleaning = {}, mine?: string): Awaitable<Leftover | undefined> {
  const claimed = patiently(file, () => claim(file, mine, how.dryRun === true));
  const go = (owner: Owner | undefined): Awaitable<Leftover | undefined> => (owner === undefined ? undefined : putBack(file, owner, how));
  return isPromise(claimed) ? claimed.then(go) : go(claimed);
}

function isOwnRuns(file: string): boolean {
  const db = connect(file);
  try {
    return readOwner(db)?.pid === process.pid;
  } finally {
    db.close();
  }
}

/**
 * Records this process as the owner of a dead run's journal, so that no other process restores the file at the same time. Returns the previous owner;
 * `undefined` if the file contains no journal, or only the journal with the token `mine`. `onlyLook`: `true` to change nothing.
 */
function claim(file: string, mine: string | undefined, onlyLook: boolean): Owner | undefined {
  const db = connect(file);
  try {
    // Most files contain no journal. Check this without locking the file.
    if (readOwner(db) === undefined) return undefined;
    return writing(db, () => {
      const owner = readOwner(db);
      if (owner === undefined || (owner.token !== "" && owner.token === mine)) return undefined;
      const life = lifeOf(owner, db);
      if (life !== "dead") throw inUse(file, owner, life);
      if (!onlyLook) stamp(db, owner.token);
      return owner;
    });
  } finally {
    db.close();
  }
}

function putBack(file: string, owner: Owner, how: Cleaning): Awaitable<Leftover> {
  return lastly(
    () =>
      patiently(file, () => {
        const db = connect(file);
        try {
          prepareControl(db);
          return putBackKept(db, file, owner.token, how);
        } finally {
          db.close();
        }
      }),
    () => release(owner.token),
  );
}

function patiently<T>(file: string, action: () => T): Awaitable<T> {
  return attempt(action, isBusy, BUSY_LIMIT_MS, busyError(file, BUSY_LIMIT_MS));
}
