import { SeqqaError } from "../../model/errors.ts";
import { RowSums } from "../../systems/multiset-mirror.ts";
import { readCatalog } from "./catalog.ts";
import { Control } from "./control.ts";
import { recoverCopy } from "./copy-shadow.ts";
import { errnoOf, incoherent, isBusy, notPutBack } from "./failures.ts";
import { installed, installedToken, uninstall } from "./install.ts";
import { KEPT, LOG, OWNER } from "./journal-sql.ts";
import { batches, putBackStatements, WRONG_COUNT } from "./put-back.ts";
import { storeUrl } from "./store-url.ts";

/**
 * Puts a user's own database back to what it was when a run that is dead now opened it, and removes what that run installed. One with nothing of ours in it is left alone.
 *
 * @returns whether something was there to remove
 * @throws SeqqaError `STORE_IN_USE`, or why it could not be put back
 */
export async function recover(url: string): Promise<boolean> {
  const control = await Control.open(storeUrl(url));
  try {
    if (!(await installed(control))) return false;
    await recoverCopy(control);
    await putBackAndUninstall(control);
    return true;
  } finally {
    await control.close();
  }
}

/** Everything that was logged since the installation is taken back, then nothing of ours is left. A lane's own database is not put back: it goes with the lane. */
export async function putBackAndUninstall(control: Control, limitMs?: number): Promise<void> {
  if (await isBorrowed(control)) await control.patiently(() => undo(control), limitMs);
  await uninstall(control);
}

async function isBorrowed(control: Control): Promise<boolean> {
  if ((await installedToken(control)) === undefined) return false;
  return (await control.rows(`select 1 from ${OWNER} where borrowed = 1 limit 1`)).length > 0;
}

async function undo(control: Control): Promise<void> {
  const names = new Map((await control.rows(`select tab, name from ${OWNER} where tab >= 0`)).map(([tab, name]) => [tab, name!]));
  const { tables } = await readCatalog(control);
  try {
    await control.rows("start transaction");
    const log = await control.rows(`select tab, note, grp, old, new from ${LOG} for update nowait`).catch(ifThere);
    const kept = await control.rows(`select tab, img, amount from ${KEPT}`).catch(ifThere);
    const made = new Set(log.filter(([, note, grp]) => note === "0" && grp !== null).map(([, , grp]) => grp));
    const sums = new RowSums();
    const add = (tab: string | null | undefined, row: string, by: number): void => {
      const index = tables.findIndex(({ name }) => name === names.get(tab ?? null));
      if (index < 0) throw cannotRecover(control, names.get(tab ?? null) ?? "");
      sums.add(index, row, by);
    };
    for (const [tab, note, grp, old, now] of log) {
      if (note === "1" && !made.has(grp)) continue;
      if (typeof old === "string") add(tab, old, 1);
      if (typeof now === "string") add(tab, now, -1);
    }
    for (const [tab, row, by] of kept) add(tab, row!, -Number(by));
    const statements = [...putBackStatements(tables, sums), `delete from ${LOG}`, `delete from ${KEPT}`, "commit"];
    for (const part of batches(statements)) await control.rows(part.join(";\n"));
  } catch (error) {
    if (!control.lost) await control.rows("rollback");
    if (isBusy(error) || error instanceof SeqqaError) throw error;
    if (errnoOf(error) === WRONG_COUNT) throw incoherent(control.store, "a row that is to be taken out is not there");
    throw notPutBack(control.store, error);
  }
}

/** A run that was killed while it installed or removed its tables. */
function ifThere(error: unknown): (string | null)[][] {
  if (errnoOf(error) === 1146) return [];
  throw error;
}

function cannotRecover({ store }: Control, table: string): SeqqaError {
  return new SeqqaError("STORE_NOT_PUT_BACK", `The data of ${store.shown} cannot be put back: table "${table}" is not there any more.`, {
    hint: "Restore it from a backup; or keep it as it is now: drop the tables and triggers whose names begin with seqqa_journal_.",
    exitStatus: 2,
  });
}
