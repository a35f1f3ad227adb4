import { SeqqaError } from "../../../model/errors.ts";
import type { Leftover } from "../../../model/stores/leftover.ts";
import type { Cleaned, Cleaning } from "../../../model/stores/store-provider.ts";
import { recover } from "../journal/recover.ts";
import { Server } from "../connect/server.ts";
import { serverUrl, type StoreUrl } from "../connect/store-url.ts";
import { sweepDeadRuns } from "./sweep.ts";

/** Removes what dead runs left on a server, and restores rows of a user's own database that a dead run changed. */
export async function clean(url: string, how: Cleaning = {}): Promise<Cleaned> {
  const store = serverUrl(url);
  const server = new Server(store);
  const failures: unknown[] = [];
  let removed: string[];
  try {
    removed = await server.use("remove what dead runs left", (ask, beside) =>
      sweepDeadRuns(ask, beside, { failed: (error) => failures.push(error), dryRun: how.dryRun }),
    );
  } finally {
    await server.close();
  }
  const leftover = store.database === "" ? undefined : await putBack(store, how);
  if (leftover !== undefined) removed.push(`what a dead run installed in ${store.shown}`);
  if (failures.length > 0) throw failures[0];
  return { removed, leftover };
}

/** Leaves the database of a living run alone. */
async function putBack(store: StoreUrl, how: Cleaning): Promise<Leftover | undefined> {
  try {
    return await recover(store.href, how);
  } catch (error) {
    if (error instanceof SeqqaError && (error.code === "STORE_IN_USE" || error.code === "STORE_MISSING")) return undefined;
    throw error;
  }
}
