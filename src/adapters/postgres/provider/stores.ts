import { hasChanges } from "../../../model/stores/leftover.ts";
import type { StoreKind, Cleaned, Cleaning } from "../../../model/stores/store-provider.ts";
import { check } from "../connect/check.ts";
import { PostgresProvider } from "./provider.ts";
import type { Client } from "pg";
import { readCatalog, type Catalog, OURS, rowsOf } from "../schema/catalog.ts";
import { connect, CONTROL_SETTINGS } from "../connect/connect.ts";
import { safeCause } from "../connect/failures.ts";
import { quoteText } from "../connect/sql-text.ts";
import { storeUrl, type StoreUrl } from "../connect/store-url.ts";
import { SeqqaError } from "../../../model/errors.ts";
import { sweepDeadRuns } from "./clean-sweep.ts";
import { Server } from "./provider-server.ts";
import { recover } from "../journal/recover.ts";
import { recoverApart } from "../savepoint/savepoint-recovery.ts";

/** Provides PostgreSQL stores for lanes: one database per lane, on the same server as the template. */
export const stores: StoreKind = { createProvider: (options) => new PostgresProvider(options), clean, check, disturb };

/**
 * Changes a lane's database, so that `seqqa doctor` can test a restore. Deletes one row from the first table that allows a deletion, and takes a
 * value from the first sequence that the role can use. Returns a description of the changes, or `undefined` if nothing was changed.
 */
async function disturb(url: string): Promise<string | undefined> {
  const store = storeUrl(url);
  const client = await connect(store, { rawText: true, settings: CONTROL_SETTINGS });
  try {
    const { tables, sequences } = await readCatalog(client);
    const done = [await removeRow(client, tables), await draw(client, sequences)].filter((one) => one !== undefined);
    return done.length === 0 ? undefined : done.join(" and ");
  } catch (error) {
    throw safeCause(store, error);
  } finally {
    await client.end();
  }
}

async function removeRow(client: Client, tables: Catalog["tables"]): Promise<string | undefined> {
  for (const { sqlName, name } of tables) {
    try {
      await client.query("begin");
      const { rowCount } = await client.query(`delete from only ${sqlName} where ctid = (select ctid from only ${sqlName} limit 1)`);
      await client.query(rowCount === 1 ? "commit" : "rollback");
      if (rowCount === 1) return `removed a row of ${name}`;
    } catch {
      // The row could not be deleted, e.g. because of a foreign key, a trigger or a missing privilege. Try the next table.
      await client.query("rollback");
    }
  }
  return undefined;
}

async function draw(client: Client, sequences: Catalog["sequences"]): Promise<string | undefined> {
  for (const { sqlName, name, cached } of sequences) {
    if (cached) continue;
    try {
      await client.query(`select nextval(${quoteText(sqlName)}::regclass)`);
      return `took the next value of sequence ${name}`;
    } catch {
      // The sequence has reached its limit, or the role is not allowed to use it. Try the next sequence.
    }
  }
  return undefined;
}

/** Drops the databases of dead runs on a server. Undoes the changes of a dead run in a user's own database. */
async function clean(url: string, how: Cleaning = {}): Promise<Cleaned> {
  const store = storeUrl(url);
  const server = new Server(store);
  const failures: unknown[] = [];
  const failed = (error: unknown): void => void failures.push(error);
  const notAllowed: string[] = [];
  const foreign = (database: string): void => void notAllowed.push(`database ${database}, which belongs to another role`);
  let removed: string[];
  try {
    removed = await server.use((client) => sweepDeadRuns(client, store, { failed, foreign, dryRun: how.dryRun }));
  } finally {
    await server.close();
  }
  const { isUndone, leftover, inUse } = await putBack(store, how).catch((error: unknown) => {
    failed(error);
    return { isUndone: false, leftover: undefined, inUse: undefined };
  });
  if (isUndone) removed.push(`tables and triggers of a dead run in ${store.shown}`);
  return {
    removed,
    ...(hasChanges(leftover) ? { leftover } : {}),
    ...(inUse === undefined ? {} : { inUse }),
    ...(notAllowed.length > 0 ? { notAllowed } : {}),
    ...(failures.length > 0 ? { failures } : {}),
  };
}

/** Restores a user's own database after its run was killed. Does nothing while a live run uses the database (`inUse`). */
async function putBack(store: StoreUrl, how: Cleaning): Promise<Pick<Cleaned, "leftover" | "inUse"> & { readonly isUndone: boolean }> {
  try {
    if (await recoverApart(store, how.dryRun === true)) return { isUndone: true };
    const leftover = (await installed(store)) ? await recover(store, how) : undefined;
    return { isUndone: leftover !== undefined, leftover };
  } catch (error) {
    if (error instanceof SeqqaError && error.code === "STORE_IN_USE") return { isUndone: false, inUse: error.message };
    throw error;
  }
}

/**
 * Returns `true` if seqqa's schema exists in the database. Called before a restore, because a restore needs privileges that the role may lack. If
 * there is no such schema, there is nothing to restore.
 */
async function installed(store: StoreUrl): Promise<boolean> {
  const client = await connect(store, { rawText: true });
  try {
    return (await rowsOf(client, `select 1 from pg_catalog.pg_namespace where nspname = '${OURS}'`)).length > 0;
  } finally {
    await client.end();
  }
}
