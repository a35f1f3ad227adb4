import type { Leftover } from "../../../model/stores/leftover.ts";
import type { Cleaning } from "../../../model/stores/store-provider.ts";
import { leftBehind } from "../../../stores/external-store.ts";
import { OURS, rowsOf } from "../schema/catalog.ts";
import { Control } from "../connect/control.ts";
import { putBackKept } from "../put-back/put-back-kept.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/**
 * Restores a user's own database to what it was when a run that is now dead opened it, and removes what that run installed.
 *
 * @returns what was left behind (with `dryRun`: what is); `undefined`: nothing
 * @throws SeqqaError `STORE_IN_USE`, or why it could not be restored
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
 * Makes sure that a dead run left no row in a user's own database. An installation without changed rows is removed.
 *
 * @throws SeqqaError `STORE_LEFT`, or why the database could not be examined
 */
export async function requireNothingLeft(control: Control): Promise<void> {
  if (!(await isOccupied(control))) return;
  const found = await putBackKept(control, { dryRun: true });
  if (found.undo.length + found.keep.length > 0) throw leftBehind(found);
  await putBackKept(control);
}

/** Does the same as {@link requireNothingLeft}, on a connection of its own. @throws SeqqaError `STORE_IN_USE` too */
export async function requireUnused(store: StoreUrl): Promise<void> {
  const control = await Control.open(store);
  try {
    await requireNothingLeft(control);
  } finally {
    await control.close();
  }
}

async function isOccupied(control: Control): Promise<boolean> {
  return (await rowsOf(control.client, `select 1 from pg_namespace where nspname = '${OURS}'`)).length > 0;
}
