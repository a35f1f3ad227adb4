import type { Ask } from "./server.ts";
import { quoteName, quoteText } from "./sql-text.ts";

/** All databases of the server. */
export async function databaseNames(ask: Ask): Promise<string[]> {
  return (await ask("select schema_name from information_schema.schemata order by schema_name")).map(([name]) => name!);
}

/** Removes a database, whoever is connected to it: an open transaction on its tables would make us wait for it. */
export async function dropDatabase(ask: Ask, name: string): Promise<void> {
  const sessions = await ask(`select id from information_schema.processlist where db = ${quoteText(name)} and id <> connection_id()`);
  // Already gone, or not ours to end.
  for (const [id] of sessions) await ask(`kill ${Number(id)}`).catch(() => undefined);
  await ask(`drop database if exists ${quoteName(name)}`);
}
