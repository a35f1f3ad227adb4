import { setTimeout as pause } from "node:timers/promises";
import { errnoOf } from "../connect/failures.ts";
import { triggerNames } from "../journal/trigger-names.ts";
import type { Ask, Beside } from "../connect/server.ts";
import { named, quoteName, quoteText } from "../connect/sql-text.ts";

/** ER_DB_DROP_RMDIR */
const FOLDER_NOT_EMPTY = 1010;
const PATIENCE_MS = 3000;
const PAUSE_MS = 50;
/** The number of tables whose triggers of ours are looked for when nobody can say how many there were. */
const MOST_TABLES = 100;
const TRIGGER =
  /^\s*(?:create|drop)\s+(?:or\s+replace\s+)?(?:definer\s*=\s*\S+\s+)?trigger\s+(?:if\s+(?:not\s+)?exists\s+)?(?:`((?:[^`]|``)+)`|([^\s`.;]+))/i;
const DEFINES = "^[[:space:]]*(create|alter|drop|rename|truncate)[[:space:]]";

/** Returns the names of all databases of the server. */
export async function databaseNames(ask: Ask): Promise<string[]> {
  return (await ask("select schema_name from information_schema.schemata order by schema_name")).map(([name]) => name!);
}

/**
 * Removes a database, whoever is connected to it. An open transaction on its tables would make us wait, so while the removal waits, the sessions that
 * it may wait for are ended from `beside`. They are not ended before: a waiting removal lets no statement begin that defines something in the
 * database, and MariaDB leaves the file of a trigger behind if its CREATE or DROP, or its table's DROP, was killed. Such statements that had begun
 * are given time to end. If one of them is ended after all, the folder is removed only once the trigger is dropped by its name. A folder that is left
 * for that reason, with nothing left in the database, is no failure.
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

/** Ends the sessions of a database until it is removed. @returns the triggers in statements that were ended */
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
        // The session is already gone, or not ours to end.
        await ask(`kill ${Number(id)}`).catch(() => undefined);
        triggers.push(...definedTrigger(info ?? ""));
      }
      await Promise.race([end, pause(PAUSE_MS)]);
    }
  });
  return triggers;
}

/**
 * Removes files of triggers whose tables are gone. No statement lists them, so names are tried: the `known` ones, those of the triggers of all
 * databases (lanes have the same ones), and ours.
 */
async function dropOrphans(ask: Ask, database: string, known: readonly string[]): Promise<void> {
  const others = (await ask("select distinct trigger_name from information_schema.triggers")).map(([name]) => name!);
  // Dropping fails for names that are not there, and for files that an older server does not remove.
  for (const name of new Set([...known, ...others, ...triggerNames(MOST_TABLES)]))
    await ask(`drop trigger ${quoteName(database)}.${quoteName(name)}`).catch(() => undefined);
}

/** Returns the name in a statement that makes or drops a trigger. */
function definedTrigger(statement: string): readonly string[] {
  const found = TRIGGER.exec(statement);
  return found === null ? [] : [(found[1] ?? found[2]!).replaceAll("``", "`")];
}
