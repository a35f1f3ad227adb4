import { setTimeout as pause } from "node:timers/promises";
import { errnoOf } from "./failures.ts";
import type { Ask } from "./server.ts";
import { quoteName, quoteText } from "./sql-text.ts";

/** ER_DB_DROP_RMDIR */
const FOLDER_NOT_EMPTY = 1010;
const PATIENCE_MS = 3000;
const PAUSE_MS = 50;
const DEFINES = "^[[:space:]]*(create|alter|drop|rename|truncate)[[:space:]]";

/** All databases of the server. */
export async function databaseNames(ask: Ask): Promise<string[]> {
  return (await ask("select schema_name from information_schema.schemata order by schema_name")).map(([name]) => name!);
}

/**
 * Removes a database, whoever is connected to it: an open transaction on its tables would make us wait for it. Statements that define something are
 * given time to end: MariaDB leaves the file of a trigger behind whose CREATE or DROP was killed, and then can remove the folder by no statement.
 * A folder that is left for that reason, with nothing in the database any more, is no failure.
 */
export async function dropDatabase(ask: Ask, name: string): Promise<void> {
  const of = `from information_schema.processlist where db = ${quoteText(name)} and id <> connection_id()`;
  const defining = `select 1 ${of} and info regexp ${quoteText(DEFINES)} limit 1`;
  for (const until = performance.now() + PATIENCE_MS; (await ask(defining)).length > 0 && performance.now() < until;) await pause(PAUSE_MS);
  // Already gone, or not ours to end.
  for (const [id] of await ask(`select id ${of}`)) await ask(`kill ${Number(id)}`).catch(() => undefined);
  for (const until = performance.now() + PATIENCE_MS; ; await pause(PAUSE_MS)) {
    try {
      await ask(`drop database if exists ${quoteName(name)}`);
      return;
    } catch (error) {
      if (errnoOf(error) !== FOLDER_NOT_EMPTY) throw error;
      if (performance.now() < until) continue;
      if ((await ask(`select 1 from information_schema.tables where table_schema = ${quoteText(name)} limit 1`)).length > 0) throw error;
      return;
    }
  }
}
