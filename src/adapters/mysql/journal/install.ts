import { OURS, type Catalog } from "../schema/catalog.ts";
import type { Control } from "../connect/control.ts";
import { gateLocks, gateStatements } from "../gate/gate-sql.ts";
import { guardTriggers, ORIGINALS, restoreTriggers } from "./guards.ts";
import { KEPT, leaseLock, LOG, OWNER, RUN, tableStatements, triggerStatements } from "./journal-sql.ts";
import { named, quoteName } from "../connect/sql-text.ts";

/** Installs the journal. DDL commits at each step: {@link uninstall} removes what a kill in the middle leaves. */
export async function install(
  control: Control,
  catalog: Catalog,
  { token, borrowed, gated }: { readonly token: string; readonly borrowed: boolean; readonly gated: boolean },
): Promise<void> {
  for (const sql of tableStatements(token, borrowed, catalog.tables)) await control.rows(sql);
  // Triggers fire in the order in which they were created: those that hold come before the user's, which are created again, and before ours that log.
  if (gated) for (const sql of gateStatements(catalog, gateLocks(control.store.database))) await control.define(sql);
  await guardTriggers(control);
  const lease = borrowed ? leaseLock(control.store.database) : undefined;
  for (const sql of triggerStatements(catalog, lease)) await control.define(sql);
}

/** Returns `true` if anything of ours is in the database. */
export async function installed(control: Control): Promise<boolean> {
  return (await ourTables(control)).length > 0 || (await ourTriggers(control)).length > 0;
}

/** Returns the token of the installed journal; `undefined`: there is none. */
export async function installedToken(control: Control): Promise<string | undefined> {
  if (!(await ourTables(control)).includes(OWNER)) return undefined;
  return (await control.rows(`select token from ${OWNER} limit 1`))[0]?.[0] ?? undefined;
}

/** Removes everything of ours, and restores the user's triggers. */
export async function uninstall(control: Control): Promise<void> {
  for (const name of await ourTriggers(control)) await control.define(`drop trigger if exists ${quoteName(name)}`);
  await restoreTriggers(control);
  // The owner goes last: it says that there is something to remove.
  for (const name of [LOG, KEPT, RUN, ORIGINALS, OWNER]) await control.define(`drop table if exists ${name}`);
  for (const name of await ourTables(control)) await control.define(`drop table if exists ${quoteName(name)}`);
}

async function ourTriggers(control: Control): Promise<string[]> {
  const rows = await control.rows(
    `select trigger_name from information_schema.triggers where ${named("event_object_schema", control.store.database)}`,
  );
  return rows.map(([name]) => name!).filter((name) => name.startsWith(OURS));
}

async function ourTables(control: Control): Promise<string[]> {
  const rows = await control.rows(
    `select table_name from information_schema.tables where ${named("table_schema", control.store.database)}`,
  );
  return rows.map(([name]) => name!).filter((name) => name.startsWith(OURS));
}
