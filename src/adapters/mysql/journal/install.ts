import { OURS, type Catalog } from "../schema/catalog.ts";
import type { Control } from "../connect/control.ts";
import { gateLocks, gateStatements } from "../gate/gate-sql.ts";
import { guardTriggers, ORIGINALS, restoreTriggers } from "./guards.ts";
import { KEPT, leaseLock, LOG, OWNER, RUN, tableStatements, triggerStatements } from "./journal-sql.ts";
import { named, quoteName } from "../connect/sql-text.ts";

/**
 * Creates the journal's tables and triggers. MySQL commits each DDL statement immediately, so a killed run can leave some tables and triggers. {@link
 * uninstall} removes them.
 */
export async function install(
  control: Control,
  catalog: Catalog,
  { token, borrowed, gated }: { readonly token: string; readonly borrowed: boolean; readonly gated: boolean },
): Promise<void> {
  for (const sql of tableStatements(token, borrowed, catalog.tables)) await control.rows(sql);
  // Triggers fire in the order in which they are created: the gate's triggers, then the user's triggers, then the logging triggers.
  if (gated) for (const sql of gateStatements(catalog, gateLocks(control.store.database))) await control.define(sql);
  await guardTriggers(control);
  const lease = borrowed ? leaseLock(control.store.database) : undefined;
  for (const sql of triggerStatements(catalog, lease)) await control.define(sql);
}

export async function installed(control: Control): Promise<boolean> {
  return (await ourTables(control)).length > 0 || (await ourTriggers(control)).length > 0;
}

export async function installedToken(control: Control): Promise<string | undefined> {
  if (!(await ourTables(control)).includes(OWNER)) return undefined;
  return (await control.rows(`select token from ${OWNER} limit 1`))[0]?.[0] ?? undefined;
}

export async function uninstall(control: Control): Promise<void> {
  for (const name of await ourTriggers(control)) await control.define(`drop trigger if exists ${quoteName(name)}`);
  await restoreTriggers(control);
  // Drop the owner table last. As long as the owner table exists, another process knows that the removal is incomplete and repeats it.
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
