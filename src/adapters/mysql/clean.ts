import { SeqqaError } from "../../model/errors.ts";
import type { Removed } from "../../model/store-provider.ts";
import { recover } from "./recover.ts";
import { Server } from "./server.ts";
import { serverUrl, type StoreUrl } from "./store-url.ts";
import { sweepDeadRuns } from "./sweep.ts";

/** Removes what dead runs left on a server, and puts a user's own database back to what it was before a dead run worked on it. */
export async function clean(url: string): Promise<Removed> {
  const store = serverUrl(url);
  const server = new Server(store);
  const failures: unknown[] = [];
  let removed: string[];
  try {
    removed = await server.use("remove what dead runs left", (ask, beside) =>
      sweepDeadRuns(ask, beside, undefined, (error) => failures.push(error)),
    );
  } finally {
    await server.close();
  }
  if (store.database !== "" && (await putBack(store)))
    removed.push(`what a dead run had installed in ${store.shown}; its data is what it was before`);
  if (failures.length > 0) throw failures[0];
  return removed;
}

/** @returns whether there was something to put back; a living run's is left alone */
async function putBack(store: StoreUrl): Promise<boolean> {
  try {
    return await recover(store.href);
  } catch (error) {
    if (error instanceof SeqqaError && (error.code === "STORE_IN_USE" || error.code === "STORE_MISSING")) return false;
    throw error;
  }
}
