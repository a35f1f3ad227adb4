import { SeqqaError } from "../../model/errors.ts";
import { RowSums } from "../../systems/multiset-mirror.ts";
import { readCatalog } from "./catalog.ts";
import { Control, type Row } from "./control.ts";
import { recoverCopy } from "./copy-shadow.ts";
import { errnoOf, incoherent, isBusy, notPutBack } from "./failures.ts";
import { installed, installedToken, uninstall } from "./install.ts";
import { TOO_LONG } from "./log-entries.ts";
import { KEPT, LOG, OWNER, shapeOf, TABLES } from "./journal-sql.ts";
import { batches, putBackStatements, WRONG_COUNT } from "./put-back.ts";
import { SchemaWatch } from "./schema-watch.ts";
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

/**
 * Everything that was logged since the installation is taken back, then nothing of ours is left. A lane's own database is not put back: it goes with the lane.
 *
 * @throws SeqqaError also where all that was logged is back, and something was done that no log tells of
 */
export async function putBackAndUninstall(control: Control, limitMs?: number): Promise<void> {
  const borrowed = await isBorrowed(control);
  if (borrowed) await control.patiently(() => undo(control), limitMs);
  const remade = borrowed ? await remadeTable(control) : undefined;
  await uninstall(control);
  if (remade !== undefined) throw partlyPutBack(control, remade);
}

/** The table that was truncated, made, removed or altered since the installation. */
async function remadeTable(control: Control): Promise<string | undefined> {
  const [[kept] = []] = await control.rows(`select shape from ${OWNER} where tab = ${TABLES}`);
  if (typeof kept !== "string") return undefined;
  return (await SchemaWatch.open(control)).difference(JSON.parse(kept) as Row[]);
}

async function isBorrowed(control: Control): Promise<boolean> {
  if ((await installedToken(control)) === undefined) return false;
  return (await control.rows(`select 1 from ${OWNER} where borrowed = 1 limit 1`)).length > 0;
}

async function undo(control: Control): Promise<void> {
  const owned = await control.rows(`select tab, name, shape from ${OWNER} where tab >= 0`);
  const names = new Map(owned.map(([tab, name]) => [tab, name!]));
  const shapes = new Map(owned.map(([tab, , shape]) => [tab, shape]));
  const { tables } = await readCatalog(control);
  try {
    await control.rows("start transaction");
    const log = await control.rows(`select tab, note, grp, old, new from ${LOG} for update nowait`).catch(ifThere);
    const kept = await control.rows(`select tab, img, amount from ${KEPT}`).catch(ifThere);
    const made = new Set(log.filter(([, note, grp]) => note === "0" && grp !== null).map(([, , grp]) => grp));
    const sums = new RowSums();
    const add = (tab: string | null | undefined, row: string, by: number): void => {
      const index = tables.findIndex(({ name }) => name === names.get(tab ?? null));
      if (index < 0) throw cannotRecover(control, names.get(tab ?? null) ?? "", "is not there any more");
      if (shapeOf(tables[index]!) !== shapes.get(tab ?? null)) throw cannotRecover(control, tables[index]!.name, "has other columns now");
      sums.add(index, row, by);
    };
    for (const [tab, note, grp, old, now] of log) {
      if (note === "1" && !made.has(grp)) continue;
      if (old === TOO_LONG || now === TOO_LONG)
        throw cannotRecover(
          control,
          names.get(tab ?? null) ?? "",
          "had a row changed that is too long for the server's max_allowed_packet to be kept",
        );
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

function cannotRecover({ store }: Control, table: string, why: string): SeqqaError {
  return new SeqqaError("STORE_NOT_PUT_BACK", `The data of ${store.shown} cannot be put back: table "${table}" ${why}.`, {
    hint: "Restore it from a backup; or keep it as it is now: drop the tables and triggers whose names begin with seqqa_journal_.",
    exitStatus: 2,
  });
}

function partlyPutBack({ store }: Control, what: string): SeqqaError {
  return new SeqqaError(
    "STORE_NOT_PUT_BACK",
    `${what} of ${store.shown} was truncated, made, removed or altered during a run, which cannot be put back; all else is what it was.`,
    { hint: "Compare it with a backup. What was installed for the run is removed.", exitStatus: 3 },
  );
}
