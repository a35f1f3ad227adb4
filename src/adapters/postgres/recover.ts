import { OURS, rowsOf } from "./catalog.ts";
import { Control, Writing } from "./control.ts";
import { codeOf, incoherent, isBusy, notPutBack } from "./failures.ts";
import { SeqqaError } from "../../model/errors.ts";
import { DDL_STATE, INCOHERENT_STATE } from "./put-back-sql.ts";
import { putNotedCounters } from "./savepoint-recovery.ts";
import { storeUrl } from "./store-url.ts";

/**
 * Puts a user's own database back to what it was when a run that is dead now opened it, and removes what that run installed. One that a living
 * run works on, and one with nothing of ours in it, is left alone.
 *
 * @returns whether something was there to remove
 * @throws SeqqaError `STORE_IN_USE`, or why it could not be put back
 */
export async function recover(url: string): Promise<boolean> {
  const control = await Control.open(storeUrl(url), true);
  try {
    if (!(await installed(control))) return false;
    await putBackAndUninstall(control);
    return true;
  } finally {
    await control.close();
  }
}

export async function installed(control: Control): Promise<boolean> {
  return (await rowsOf(control.client, `select 1 from pg_namespace where nspname = '${OURS}'`)).length > 0;
}

/** In one transaction: everything that was logged since the installation is taken back, then nothing of ours is left. */
export async function putBackAndUninstall(control: Control, limitMs?: number): Promise<void> {
  await control.patiently(() => control.transaction(() => undo(control)), limitMs);
}

async function undo(control: Control): Promise<void> {
  const [kept] = await control.rows(`select to_regclass('${OURS}.kept')`);
  try {
    // Only a borrowed store is put back; a lane's own goes with the lane.
    if (typeof kept?.[0] === "string") {
      // Before this transaction writes: then it could not tell others from itself.
      const [writing] = await control.rows(`select ${OURS}.busy()`);
      if (typeof writing?.[0] === "string") throw new Writing(writing[0]);
      await control.rows(`insert into ${OURS}.log(rel, o, n) select rel, o, n from ${OURS}.kept`);
      const [header] = await control.rows(
        `select p.img from ${OURS}.owner o, ${OURS}.put(null, null, null, null, null, o.counters, 0, null, null, null) p limit 1`,
      );
      if (typeof header?.[0] === "string") throw new Writing(header[0]);
    }
    await control.rows(putNotedCounters);
    await control.rows(`drop schema ${OURS} cascade`);
  } catch (error) {
    if (isBusy(error) || error instanceof Writing || error instanceof SeqqaError) throw error;
    if (codeOf(error) === DDL_STATE) throw cannotRecover(control, (error as Error).message);
    if (codeOf(error) === INCOHERENT_STATE) throw incoherent(control.store, (error as Error).message);
    throw notPutBack(control.store, error);
  }
}

function cannotRecover({ store }: Control, what: string): SeqqaError {
  return new SeqqaError(
    "STORE_NOT_PUT_BACK",
    `The data of ${store.shown} cannot be put back: its schema was changed during a run (${what}).`,
    {
      hint: `Restore it from a backup; or keep it as it is now: drop schema ${OURS} cascade.`,
      exitStatus: 2,
    },
  );
}
