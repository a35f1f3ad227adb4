import { OURS } from "../schema/catalog.ts";
import { routineHidden } from "../connect/failures.ts";
import type { Ask } from "../connect/server.ts";
import { named, quoteName, quoteText } from "../connect/sql-text.ts";
import { renamed, type Naming } from "./database-names.ts";

/** The definition of a routine, trigger or event, and the session settings with which it was created. */
interface Stored {
  readonly create: string;
  readonly mode: string;
  readonly client: string;
  readonly collation: string;
}

/**
 * Returns whether a new event is enabled. `name`: the name of the event. `wasEnabled`: `true` if the event of the original database is enabled.
 */
type Enabling = (name: string, wasEnabled: boolean) => boolean;

export interface Copying {
  /** `true` if other sessions may write to the database while it is copied. Default `false`. */
  readonly isInUse?: boolean | undefined;
  /** Default: an event of the copy is enabled if the original event is enabled. */
  readonly isEnabled?: Enabling | undefined;
}

/**
 * Copies a database into a new database on the same server: tables with rows and AUTO_INCREMENT, views, routines, triggers and events. The session
 * must have `foreign_key_checks` off and a `sql_mode` that accepts any value. Does not copy tables and triggers that belong to a run's journal.
 */
export async function copySchema(
  ask: Ask,
  from: string,
  to: string,
  { isInUse = false, isEnabled = (_name, wasEnabled) => wasEnabled }: Copying = {},
): Promise<void> {
  const [[charset, collation] = []] = await ask(
    `select default_character_set_name, default_collation_name from information_schema.schemata where ${named("schema_name", from)}`,
  );
  await ask(`create database ${quoteName(to)} character set ${charset ?? "utf8mb4"} collate ${collation ?? "utf8mb4_general_ci"}`);
  const names = (await ask(
    `select table_name, table_type from information_schema.tables where ${named("table_schema", from)} order by table_type = 'SEQUENCE' desc, table_name`,
  )) as string[][];
  const all = names.filter(([name]) => !name!.startsWith(OURS));
  const tables = all.filter(([, type]) => type !== "VIEW").map(([name]) => name!);
  await ask(`use ${quoteName(to)}`);
  for (const name of tables) await ask(await shown(ask, `table ${quoteName(from)}.${quoteName(name)}`, 1));
  const filled = all.flatMap(([name, type]) => (type === "VIEW" || type === "SEQUENCE" ? [] : [name!]));
  const copies: string[] = [];
  for (const name of filled) copies.push(await rowsCopy(ask, from, to, name));
  // A table that uses a sequence cannot be filled while tables are locked.
  const hasSequences = all.some(([, type]) => type === "SEQUENCE");
  const isLocked = isInUse && !hasSequences && (await lockTables(ask, from, to, filled));
  try {
    for (const copy of copies) await ask(copy);
  } finally {
    if (isLocked) await ask("unlock tables");
  }
  const naming = await readNaming(ask, from, to);
  await copyRoutines(ask, naming);
  await copyViews(ask, naming, all.filter(([, type]) => type === "VIEW").map(([name]) => name!)); // prettier-ignore
  // Create triggers last: otherwise they would fire while rows are copied.
  await copyTriggers(ask, naming);
  await copyEvents(ask, naming, isEnabled);
}

/** The longest wait for open transactions of other sessions that have written to the tables, in seconds. */
const LOCK_SECONDS = 2;

/**
 * Locks the tables of both databases, so that no other session writes between the copies of two tables. Returns `false` if that is not possible, for
 * example because another session keeps a transaction open, or because the user or the server does not allow it: the tables are then copied one by one.
 */
async function lockTables(ask: Ask, from: string, to: string, names: readonly string[]): Promise<boolean> {
  if (names.length === 0) return false;
  const locks = names.flatMap((name) => [`${quoteName(from)}.${quoteName(name)} read`, `${quoteName(to)}.${quoteName(name)} write`]);
  await ask("set @seqqa_wait = @@session.lock_wait_timeout");
  try {
    await ask(`set session lock_wait_timeout = ${LOCK_SECONDS}`);
    await ask(`lock tables ${locks.join(", ")}`);
    return true;
  } catch {
    return false;
  } finally {
    await ask("set session lock_wait_timeout = @seqqa_wait");
  }
}

/** Returns the names of the enabled events of a database. */
export async function enabledEvents(ask: Ask, database: string): Promise<ReadonlySet<string>> {
  const events = await ask(
    `select event_name from information_schema.events where ${named("event_schema", database)} and status = 'ENABLED'`,
  );
  return new Set(events.map(([name]) => name!));
}

async function readNaming(ask: Ask, from: string, to: string): Promise<Naming> {
  const [[ignores] = []] = await ask("select @@lower_case_table_names");
  const names = await ask(
    [
      `select table_name from information_schema.tables where ${named("table_schema", from)}`,
      `select routine_name from information_schema.routines where ${named("routine_schema", from)}`,
      `select trigger_name from information_schema.triggers where ${named("trigger_schema", from)}`,
      `select event_name from information_schema.events where ${named("event_schema", from)}`,
    ].join(" union "),
  );
  return { from, to, objects: new Set(names.map(([name]) => name!)), ignoresCase: ignores !== "0" };
}

async function shown(ask: Ask, what: string, at: number): Promise<string> {
  const [row] = await ask(`show create ${what}`);
  return row?.[at] ?? "";
}

/** Returns a statement that copies the rows of a table. */
async function rowsCopy(ask: Ask, from: string, to: string, name: string): Promise<string> {
  const columns = await ask(
    `select column_name from information_schema.columns where ${named("table_schema", from)} and ${named("table_name", name)}
        and coalesce(generation_expression, '') = '' order by ordinal_position`,
  );
  const list = columns.map(([column]) => quoteName(column!)).join(",");
  return `insert into ${quoteName(to)}.${quoteName(name)} (${list}) select ${list} from ${quoteName(from)}.${quoteName(name)}`;
}

async function copyRoutines(ask: Ask, naming: Naming): Promise<void> {
  const { from } = naming;
  const routines = (await ask(
    `select routine_type, routine_name, definer from information_schema.routines where ${named("routine_schema", from)} order by routine_type, routine_name`,
  )) as string[][];
  for (const [type, name, definer] of routines) {
    const [row] = await ask(`show create ${type!} ${quoteName(from)}.${quoteName(name!)}`);
    if (typeof row?.[2] !== "string") throw routineHidden(from, `${type!.toLowerCase()} "${name!}"`, definer!);
    const mode = row[1] ?? "";
    await make(ask, { create: renamed(row[2], naming, mode), mode, client: row[3] ?? "", collation: row[4] ?? "" });
  }
}

/**
 * Copies views. A view may use another view that does not exist in the copy yet. Failed views are therefore tried again, until no further view
 * succeeds.
 */
async function copyViews(ask: Ask, naming: Naming, names: readonly string[]): Promise<void> {
  let left = [...names];
  while (left.length > 0) {
    const failed: string[] = [];
    let last: unknown;
    for (const name of left) {
      const text = await shown(ask, `view ${quoteName(naming.from)}.${quoteName(name)}`, 1);
      try {
        await ask(renamed(text, naming));
      } catch (error) {
        failed.push(name);
        last = error;
      }
    }
    if (failed.length === left.length) throw last;
    left = failed;
  }
}

async function copyTriggers(ask: Ask, naming: Naming): Promise<void> {
  const { from } = naming;
  const originals = await ask(
    `select 1 from information_schema.tables where ${named("table_schema", from)} and table_name = '${OURS}originals'`,
  );
  const kept = originals.length === 0 ? [] : await ask(`select name, body from ${quoteName(from)}.${OURS}originals`);
  const triggers = await ask(
    `select trigger_name, sql_mode, character_set_client, collation_connection from information_schema.triggers where ${named("event_object_schema", from)}
      order by event_object_table, action_timing, event_manipulation, action_order`,
  );
  for (const [name, mode, client, collation] of triggers) {
    if (name!.startsWith(OURS)) continue;
    const body = kept.find(([one]) => one === name)?.[1] ?? (await shown(ask, `trigger ${quoteName(from)}.${quoteName(name!)}`, 2));
    await make(ask, { create: renamed(body, naming, mode!), mode: mode!, client: client!, collation: collation! });
  }
}

/** Matches the status in the definition of an event, which follows the schedule. */
const STATUS = /( ON COMPLETION (?:NOT )?PRESERVE )(ENABLE|DISABLE)(?! ON )/;

async function copyEvents(ask: Ask, naming: Naming, isEnabled: Enabling): Promise<void> {
  const { from } = naming;
  const events = await ask(`select event_name from information_schema.events where ${named("event_schema", from)} order by event_name`);
  for (const [name] of events) {
    const [row] = await ask(`show create event ${quoteName(from)}.${quoteName(name!)}`);
    const [, mode = "", zone, shownText, client, collation] = row ?? [];
    const create = shownText?.replace(
      STATUS,
      (_status, before: string, status) => `${before}${isEnabled(name!, status === "ENABLE") ? "ENABLE" : "DISABLE"}`,
    );
    await ask(`set session time_zone = ${quoteText(zone ?? "SYSTEM")}`);
    await make(ask, {
      create: renamed(create ?? "", naming, mode ?? ""),
      mode: mode ?? "",
      client: client ?? "",
      collation: collation ?? "",
    });
    await ask("set session time_zone = '+00:00'");
  }
}

/** Creates an object with the session settings of its original, because the meaning of its text depends on these settings. */
async function make(ask: Ask, { create, mode, client, collation }: Stored): Promise<void> {
  await ask("set @seqqa_mode = @@session.sql_mode");
  try {
    await ask(`set session sql_mode = ${quoteText(mode)}`);
    if (/^\w+$/.test(collation)) await ask(`set session collation_connection = ${collation}`);
    if (/^(?:utf8|utf8mb3|utf8mb4|latin1)$/.test(client) && Buffer.byteLength(create) === create.length)
      await ask(`set session character_set_client = ${client}`);
    await ask(create);
  } finally {
    await ask("set names utf8mb4");
    await ask("set session sql_mode = @seqqa_mode");
  }
}
