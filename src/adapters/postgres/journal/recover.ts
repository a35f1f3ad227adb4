import type { Client } from "pg";
import { hasChanges, type Leftover } from "../../../model/stores/leftover.ts";
import type { Cleaning } from "../../../model/stores/store-provider.ts";
import { leftBehind, type InPlaceRun } from "../../../stores/external/external-store.ts";
import { OURS, rowsOf } from "../schema/catalog.ts";
import { Control, LOCK } from "../connect/control.ts";
import { putBackKept } from "../put-back/put-back-kept.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/**
 * Restores an external store after a killed run, and removes seqqa's schema.
 *
 * @returns the rows that the run left changed (with `dryRun`, nothing is changed), or `undefined` if there was nothing to remove
 * @throws SeqqaError `STORE_IN_USE`, or the reason why the data cannot be restored
 */
export async function recover(store: StoreUrl, how: Cleaning = {}): Promise<Leftover | undefined> {
  const control = await Control.open(store);
  try {
    return (await isOccupied(control)) ? await putBackKept(control, how) : undefined;
  } finally {
    await control.close();
  }
}

/**
 * Checks that no killed run has left changed rows in an external store. If a killed run left only seqqa's schema, removes this schema.
 *
 * @throws SeqqaError `STORE_LEFT`, or the reason why the database cannot be examined
 */
export async function requireNothingLeft(control: Control): Promise<void> {
  if (!(await isOccupied(control))) return;
  const found = await putBackKept(control, { dryRun: true });
  if (hasChanges(found)) throw leftBehind(found);
  await putBackKept(control);
}

/** Opens a connection and calls {@link requireNothingLeft} with it. @throws SeqqaError the same errors, and `STORE_IN_USE` */
export async function requireUnused(store: StoreUrl): Promise<void> {
  const control = await Control.open(store);
  try {
    await requireNothingLeft(control);
  } finally {
    await control.close();
  }
}

/**
 * Returns `alive` or `dead` if a run uses the database in place, or has left its tables in it; otherwise `undefined`. Changes nothing, and needs no
 * privileges.
 */
export async function inPlaceRun(client: Client): Promise<InPlaceRun> {
  // Only runs on external stores create these objects: a lease in the mode `journal`, and a table of recorded counters in the mode `savepoint`.
  const [row] = await rowsOf<[string]>(
    client,
    `select (exists (select 1 from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
        where l.locktype = 'advisory' and (l.classid, l.objid) = (${LOCK}) and l.objsubid = 2 and l.granted))::text
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = '${OURS}' and c.relname in ('lease', 'savepoint_counters') limit 1`,
  );
  if (row === undefined) return undefined;
  return row[0] === "true" ? "alive" : "dead";
}

async function isOccupied(control: Control): Promise<boolean> {
  return (await rowsOf(control.client, `select 1 from pg_namespace where nspname = '${OURS}'`)).length > 0;
}
