import type { StoreKind, Cleaned, Cleaning } from "../../../model/stores/store-provider.ts";
import { check } from "../connect/check.ts";
import { MysqlProvider } from "./provider.ts";
import { OURS } from "../schema/catalog.ts";
import { connect, disconnect, OUR_SETTINGS } from "../connect/connect.ts";
import { safeCause } from "../connect/failures.ts";
import { named, quoteName } from "../connect/sql-text.ts";
import { storeUrl, serverUrl, type StoreUrl } from "../connect/store-url.ts";
import { SeqqaError } from "../../../model/errors.ts";
import { recover } from "../journal/recover.ts";
import { Server, serverError } from "../connect/server.ts";
import { sweepDeadRuns } from "./sweep.ts";

/** Provides MySQL and MariaDB stores for lanes: one database per lane, on the same server as the template. */
export const stores: StoreKind = { createProvider: (options) => new MysqlProvider(options), clean, check, disturb };

async function disturb(url: string): Promise<string | undefined> {
  const store = storeUrl(url);
  const connection = await connect(store, { settings: OUR_SETTINGS, driver: { rowsAsArray: true } });
  try {
    const [tables] = (await connection.query(
      `select table_name from information_schema.tables where ${named("table_schema", store.database)} and table_type = 'BASE TABLE' order by table_name`,
    )) as unknown as [string[][]];
    for (const [name] of tables) {
      if (name!.startsWith(OURS)) continue;
      try {
        const [result] = await connection.query(`delete from ${quoteName(name!)} limit 1`);
        if ((result as { affectedRows: number }).affectedRows === 1) return `removed a row of ${name!}`;
      } catch {
        // The row could not be deleted, e.g. because of a foreign key, a trigger or a missing privilege. Try the next table.
      }
    }
    return undefined;
  } catch (error) {
    throw safeCause(store, error);
  } finally {
    await disconnect(connection);
  }
}

/** Drops the databases of dead runs on a server. Undoes the changes of a dead run in a user's own database. */
async function clean(url: string, how: Cleaning = {}): Promise<Cleaned> {
  const store = serverUrl(url);
  const server = new Server(store);
  const failures: unknown[] = [];
  let removed: string[];
  try {
    removed = await server.use("remove what dead runs left", (ask, beside) =>
      sweepDeadRuns(ask, beside, {
        failed: (error) => failures.push(serverError(store, "remove a database of a dead run", error)),
        dryRun: how.dryRun,
      }),
    );
  } finally {
    await server.close();
  }
  const nothing: Awaited<ReturnType<typeof putBack>> = {};
  const { leftover, inUse } =
    store.database === ""
      ? nothing
      : await putBack(store, how).catch((error: unknown) => {
          failures.push(error);
          return nothing;
        });
  if (leftover !== undefined) removed.push(`tables and triggers of a dead run in ${store.shown}`);
  return { removed, leftover, ...(inUse === undefined ? {} : { inUse }), ...(failures.length > 0 ? { failures } : {}) };
}

/** Restores a user's own database after its run was killed. Does nothing while a live run uses the database (`inUse`). */
async function putBack(store: StoreUrl, how: Cleaning): Promise<Pick<Cleaned, "leftover" | "inUse">> {
  try {
    return { leftover: await recover(store.href, how) };
  } catch (error) {
    if (error instanceof SeqqaError && error.code === "STORE_IN_USE") return { inUse: error.message };
    throw error;
  }
}
