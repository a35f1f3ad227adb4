import type { Removed } from "../../model/store-provider.ts";
import { SeqqaError } from "../../model/errors.ts";
import { OURS, rowsOf } from "./catalog.ts";
import { CloneMode } from "./clone-mode.ts";
import { sweepDeadRuns } from "./clean-sweep.ts";
import { connect } from "./connect.ts";
import { Server } from "./provider-server.ts";
import { recover } from "./recover.ts";
import { recoverApart } from "./savepoint-recovery.ts";
import { storeUrl, type StoreUrl } from "./store-url.ts";

/** Removes what dead runs left on a server, and puts a user's own database back to what it was before a dead run worked on it. */
export async function clean(url: string): Promise<Removed> {
  const store = storeUrl(url);
  const server = new Server(store);
  const failures: unknown[] = [];
  let removed: string[];
  try {
    removed = await server.use((client) => sweepDeadRuns(client, store, undefined, (error) => failures.push(error)));
  } finally {
    await server.close();
  }
  if (await putBack(store)) removed.push(`what a dead run had installed in ${store.shown}; its data is what it was before`);
  if (failures.length > 0) throw failures[0];
  return removed;
}

/** @returns whether there was something to put back; a living run's is left alone */
async function putBack(store: StoreUrl): Promise<boolean> {
  try {
    const cloned = await CloneMode.recover(store);
    const counted = await recoverApart(store);
    return ((await installed(store)) && (await recover(store.href))) || cloned || counted;
  } catch (error) {
    if (error instanceof SeqqaError && (error.code === "STORE_IN_USE" || error.code === "STORE_MISSING")) return false;
    throw error;
  }
}

/** Asked first, since putting back needs privileges that only those have who could install. */
async function installed(store: StoreUrl): Promise<boolean> {
  const client = await connect(store, { rawText: true });
  try {
    return (await rowsOf(client, `select 1 from pg_catalog.pg_namespace where nspname = '${OURS}'`)).length > 0;
  } finally {
    await client.end();
  }
}
