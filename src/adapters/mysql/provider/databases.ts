import { setTimeout as pause } from "node:timers/promises";
import { errnoOf } from "../connect/failures.ts";
import { triggerNames } from "../journal/trigger-names.ts";
import type { Ask, Beside } from "../connect/server.ts";
import { named, quoteName, quoteText } from "../connect/sql-text.ts";

/** The number of the server's error ER_DB_DROP_RMDIR: the folder of the database is not empty. */
const FOLDER_NOT_EMPTY = 1010;
const PATIENCE_MS = 3000;
const PAUSE_MS = 50;
/** The number of tables for which seqqa's trigger names are tried, because the real number of tables is unknown. */
const MOST_TABLES = 100;
const TRIGGER =
  /^\s*(?:create|drop)\s+(?:or\s+replace\s+)?(?:definer\s*=\s*\S+\s+)?trigger\s+(?:if\s+(?:not\s+)?exists\s+)?(?:`((?:[^`]|``)+)`|([^\s`.;]+))/i;
const DEFINES = "^[[:space:]]*(create|alter|drop|rename|truncate)[[:space:]]";

export async function databaseNames(ask: Ask): Promise<string[]> {
  return (await ask("select schema_name from information_schema.schemata order by schema_name")).map(([name]) => name!);
}

/**
 * Drops a database, even while sessions use it. Open transactions block DROP DATABASE, so all sessions of the database are killed while DROP DATABASE
 * waits.
 *
 * Workaround for MariaDB: killing a CREATE TRIGGER, DROP TRIGGER or DROP TABLE leaves the trigger's file behind, and then the database's folder
 * cannot be removed. Sessions are therefore ended only while DROP DATABASE waits, because the server lets no new DDL begin during this time. Running
 * DDL gets time to finish. The triggers of killed DDL are dropped by name. A remaining folder is ignored if the database has no tables.
 */
export async function dropDatabase(ask: Ask, name: string, beside: Beside): Promise<void> {
  const triggers = (await ask(`select trigger_name from information_schema.triggers where ${named("trigger_schema", name)}`)).map(
    ([one]) => one!,
  );
  let tried = false;
  for (const until = performance.now() + PATIENCE_MS; ; await pause(PAUSE_MS)) {
    try {
      const dropping = ask(`drop database if exists ${quoteName(name)}`);
      triggers.push(...(await endWhoIsInTheWay(dropping, name, beside)));
      await dropping;
      return;
    } catch (error) {
      if (errnoOf(error) !== FOLDER_NOT_EMPTY) throw error;
      if (performance.now() < until) continue;
      if ((await ask(`select 1 from information_schema.tables where table_schema = ${quoteText(name)} limit 1`)).length > 0) throw error;
      if (tried) return;
      await dropOrphans(ask, name, triggers);
      tried = true;
    }
  }
}

/**
 * Kills the sessions of a database until the database is dropped.
 *
 * @returns the names of the triggers that the killed statements were creating or dropping
 */
async function endWhoIsInTheWay(dropping: Promise<unknown>, name: string, beside: Beside): Promise<string[]> {
  let over = false;
  const end = dropping.then(
    () => (over = true),
    () => (over = true),
  );
  const triggers: string[] = [];
  await Promise.race([end, pause(PAUSE_MS)]);
  if (over) return triggers;
  const sessions = `select id, info from information_schema.processlist where db = ${quoteText(name)} and id <> connection_id()`;
  const notDefining = `and (info is null or not info regexp ${quoteText(DEFINES)})`;
  const patient = performance.now() + PATIENCE_MS;
  await beside(async (ask) => {
    while (!over) {
      for (const [id, info] of await ask(performance.now() < patient ? `${sessions} ${notDefining}` : sessions)) {
        // Ignore the error of KILL: the session has already ended, or the database user is not allowed to kill it.
        await ask(`kill ${Number(id)}`).catch(() => undefined);
        triggers.push(...definedTrigger(info ?? ""));
      }
      await Promise.race([end, pause(PAUSE_MS)]);
    }
  });
  return triggers;
}

/**
 * Drops trigger files whose tables no longer exist. No query lists such files, so this function tries names: the names in `known`, all triggers of
 * other databases (lanes have the same triggers), and the names of seqqa's own triggers.
 */
async function dropOrphans(ask: Ask, database: string, known: readonly string[]): Promise<void> {
  const others = (await ask("select distinct trigger_name from information_schema.triggers")).map(([name]) => name!);
  // Ignore failures. DROP TRIGGER fails if the file does not exist, and on older servers that cannot remove such a file.
  for (const name of new Set([...known, ...others, ...triggerNames(MOST_TABLES)]))
    await ask(`drop trigger ${quoteName(database)}.${quoteName(name)}`).catch(() => undefined);
}

function definedTrigger(statement: string): readonly string[] {
  const found = TRIGGER.exec(statement);
  return found === null ? [] : [(found[1] ?? found[2]!).replaceAll("``", "`")];
}
