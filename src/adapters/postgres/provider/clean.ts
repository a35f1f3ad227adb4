import { SeqqaError } from "../../../model/errors.ts";
import type { Leftover } from "../../../model/stores/leftover.ts";
import type { Cleaned, Cleaning } from "../../../model/stores/store-provider.ts";
import { OURS, rowsOf } from "../schema/catalog.ts";
import { sweepDeadRuns } from "./clean-sweep.ts";
import { connect } from "../connect/connect.ts";
import { Server } from "./provider-server.ts";
import { recover } from "../journal/recover.ts";
import { recoverApart } from "../savepoint/savepoint-recovery.ts";
import { storeUrl, type StoreUrl } from "../connect/store-url.ts";

/** Removes what dead runs left on a server, and restores what one changed in a user's own database. */
export async function clean(url: string, how: Cleaning = {}): Promise<Cleaned> {
  const store = storeUrl(url);
  const server = new Server(store);
  const failures: unknown[] = [];
  const failed = (error: unknown): void => void failures.push(error);
  let removed: string[];
  try {
    removed = await server.use((client) => sweepDeadRuns(client, store, { failed, dryRun: how.dryRun }));
  } finally {
    await server.close();
  }
  const left = await putBack(store, how);
  if (left !== undefined) removed.push(`what a dead run installed in ${store.shown}`);
  if (failures.length > 0) throw failures[0];
  const { leftover } = left ?? {};
  const hasRows = leftover !== undefined && leftover.undo.length + leftover.keep.length > 0;
  return { removed, ...(hasRows ? { leftover } : {}) };
}

/** @returns `undefined` if there was nothing to restore, or a living run uses the database */
async function putBack(store: StoreUrl, how: Cleaning): Promise<{ readonly leftover?: Leftover } | undefined> {
  try {
    if (await recoverApart(store, how.dryRun === true)) return {};
    const leftover = (await installed(store)) ? await recover(store, how) : undefined;
    return leftover === undefined ? undefined : { leftover };
  } catch (error) {
    if (error instanceof SeqqaError && (error.code === "STORE_IN_USE" || error.code === "STORE_MISSING")) return undefined;
    throw error;
  }
}

/** Returns `true` if something of ours is in the database. Asked first, since restoring needs privileges that only roles have which could install. */
async function installed(store: StoreUrl): Promise<boolean> {
  const client = await connect(store, { rawText: true });
  try {
    return (await rowsOf(client, `select 1 from pg_catalog.pg_namespace where nspname = '${OURS}'`)).length > 0;
  } finally {
    await client.end();
  }
}
