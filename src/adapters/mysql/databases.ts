import { setTimeout as pause } from "node:timers/promises";
import { errnoOf } from "./failures.ts";
import type { Ask } from "./server.ts";
import { quoteName, quoteText } from "./sql-text.ts";

/** A session that was ended in the middle of CREATE TABLE may write its file while the folder is being removed; it is over in a moment. */
const FOLDER_NOT_EMPTY = 1010;
const LAST_WORDS_MS = 10_000;
const PAUSE_MS = 100;

/** All databases of the server. */
export async function databaseNames(ask: Ask): Promise<string[]> {
  return (await ask("select schema_name from information_schema.schemata order by schema_name")).map(([name]) => name!);
}

/** Removes a database, whoever is connected to it: an open transaction on its tables would make us wait for it. */
export async function dropDatabase(ask: Ask, name: string): Promise<void> {
  const sessions = await ask(`select id from information_schema.processlist where db = ${quoteText(name)} and id <> connection_id()`);
  // Already gone, or not ours to end.
  for (const [id] of sessions) await ask(`kill ${Number(id)}`).catch(() => undefined);
  for (const until = performance.now() + LAST_WORDS_MS; ; await pause(PAUSE_MS)) {
    try {
      await ask(`drop database if exists ${quoteName(name)}`);
      return;
    } catch (error) {
      if (errnoOf(error) !== FOLDER_NOT_EMPTY || performance.now() > until) throw error;
    }
  }
}
