import { SeqqaError } from "../../../model/errors.ts";
import { OURS } from "../schema/catalog.ts";
import { OFF, type Control, type Row } from "../connect/control.ts";
import { isDenied, safeCause } from "../connect/failures.ts";
import { named, quoteName, quoteText } from "../connect/sql-text.ts";

/**
 * The table that stores the original text of the user's triggers while guarded copies replace them. A guarded copy does nothing in seqqa's own
 * sessions.
 */
export const ORIGINALS: string = `${OURS}originals`;

/** The beginning of the body of a guarded trigger (a copy of a user's trigger). This code skips the rest of the body in seqqa's own sessions. */
export const GUARD: string = `begin if ${OFF} is null then `;

/**
 * The name of a row of {@link ORIGINALS} that is written after all guarded triggers were created. If a trigger is missing although this row exists,
 * the user has dropped the trigger. If this row does not exist, seqqa may have been killed while it replaced the trigger.
 */
const COMPLETE = "";

interface Original {
  readonly name: string;
  readonly table: string;
  readonly create: string;
  readonly mode: string;
  readonly client: string;
  readonly collation: string;
}

/**
 * Replaces the user's triggers by copies that do nothing in seqqa's own sessions. MySQL cannot disable triggers, so the user's triggers would fire
 * during a restore and change rows. The originals are saved in the database first. If the run is killed, a later run can create them again.
 *
 * @throws SeqqaError `STORE_NOT_ALLOWED` (nothing was replaced) if the database user is not allowed to create one of the triggers again
 */
export async function guardTriggers(control: Control): Promise<void> {
  const rows = await control.rows(
    `select trigger_name, event_object_table, action_timing, event_manipulation, definer, action_statement, sql_mode, character_set_client, collation_connection
       from information_schema.triggers where ${named("event_object_schema", control.store.database)}
      order by event_object_table, action_timing, event_manipulation, action_order`,
  );
  const users = (rows as string[][]).filter(([name]) => !name!.startsWith(OURS));
  if (users.length === 0) return;
  const text = "longtext character set utf8mb4 collate utf8mb4_bin";
  await control.rows(
    `create table ${ORIGINALS}(at int not null auto_increment primary key, name ${text}, tab ${text}, body ${text}, mode ${text}, client ${text}, collation ${text}) engine=InnoDB`,
  );
  await requireRights(control, users);
  const kept: string[] = [];
  for (const [name, table, , , , , mode, client, collation] of users) {
    const [shown] = await control.rows(`show create trigger ${quoteName(name!)}`);
    kept.push(`(${[name, table, shown?.[2], mode, client, collation].map((one) => quoteText(one ?? "")).join(",")})`);
  }
  // After a killed run, triggers are created in the order of these rows, after the existing triggers. Therefore write all rows in one statement, and
  // drop the last trigger first.
  await control.rows(`insert into ${ORIGINALS}(name, tab, body, mode, client, collation) values ${kept.join(",")}`);
  for (const [name] of users.toReversed()) await control.define(`drop trigger ${quoteName(name!)}`);
  for (const row of users) await create(control, guarded(row), row[6]!, row[7]!, row[8]!);
  await control.rows(`insert into ${ORIGINALS}(name) values ('${COMPLETE}')`);
}

/**
 * Creates and drops a test trigger for each definer. The test finds triggers that could not be created again, before any trigger of the user is
 * dropped.
 */
async function requireRights(control: Control, users: readonly string[][]): Promise<void> {
  const probe = `${OURS}probe`;
  for (const [definer, name] of new Map(users.map((row) => [row[4]!, row[0]!]))) {
    try {
      await control.define(
        `create definer=${account(definer)} trigger ${probe} before insert on ${ORIGINALS} for each row set ${OFF} = ${OFF}`,
      );
    } catch (error) {
      if (!isDenied(error)) throw error;
      const cause = safeCause(control.store, error);
      throw new SeqqaError(
        "STORE_NOT_ALLOWED",
        `Trigger "${name}" of ${control.store.shown} belongs to ${definer}, and the user in the store's URL is not allowed to create such a trigger: ${cause.message}. seqqa replaces the triggers of the database during a run, and restores them afterwards.`,
        {
          hint: `Use ${definer} in the store's URL, or grant the current user a privilege. MariaDB: SET USER. MySQL: SET_ANY_DEFINER (before 8.2: SET_USER_ID). If the binary log is on, also set log_bin_trust_function_creators = 1.`,
          exitStatus: 2,
          cause,
        },
      );
    }
    await control.define(`drop trigger ${probe}`);
  }
}

/** Quotes the definer of a trigger, which information_schema returns as `user@host`. */
function account(definer: string): string {
  const at = definer.lastIndexOf("@");
  return `${quoteName(definer.slice(0, at))}@${quoteName(definer.slice(at + 1))}`;
}

function guarded([name, table, timing, event, definer, statement]: readonly string[]): string {
  const who = account(definer!);
  // The line break before `end if` is needed, because the body may end with a line comment.
  return `create definer=${who} trigger ${quoteName(name!)} ${timing!} ${event!} on ${quoteName(table!)} for each row ${GUARD}${statement!}\n; end if; end`;
}

/** Creates a trigger with the session settings of its original, because the meaning of its text depends on these settings. */
async function create(control: Control, sql: string, mode: string, client: string, collation: string): Promise<void> {
  await control.rows(
    "set @seqqa_mode = @@session.sql_mode, @seqqa_client = @@session.character_set_client, @seqqa_collation = @@session.collation_connection",
  );
  try {
    // Send the text as utf8mb4, which can encode all names and literals. The original character set is used only if the text is ASCII.
    await control.rows(`set session sql_mode = ${quoteText(mode)}, session collation_connection = ${collationName(collation)}`);
    if (/^(?:utf8|utf8mb3|utf8mb4|latin1)$/.test(client) && isAscii(sql))
      await control.rows(`set session character_set_client = ${client}`);
    await control.define(sql);
  } finally {
    await control.rows(
      "set session sql_mode = @seqqa_mode, session character_set_client = @seqqa_client, session collation_connection = @seqqa_collation",
    );
  }
}

function collationName(collation: string): string {
  return /^\w+$/.test(collation) ? collation : "utf8mb4_general_ci";
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** Replaces the guarded triggers by their originals. Does not change triggers that the user dropped, replaced or moved to another table. */
export async function restoreTriggers(control: Control): Promise<void> {
  const { database } = control.store;
  const there = await control.rows(
    `select 1 from information_schema.tables where ${named("table_schema", database)} and table_name = '${ORIGINALS}'`,
  );
  if (there.length === 0) return;
  const rows = await control.rows(`select name, tab, body, mode, client, collation from ${ORIGINALS} order by at`);
  const isComplete = rows.some(([name]) => name === COMPLETE);
  let originals = rows.filter(([name]) => name !== COMPLETE).map(original);
  const present = await control.rows(
    `select trigger_name, event_object_table, action_statement from information_schema.triggers where ${named("event_object_schema", database)}`,
  );
  const bodies = new Map(present.map(([name, table, body]) => [name, { table, body: body ?? "" }]));
  const isGuarded = ({ name, table }: Original): boolean => {
    const now = bodies.get(name);
    return now?.table === table && now.body.startsWith(GUARD);
  };
  if (isComplete) {
    const forgotten = [COMPLETE, ...originals.filter((one) => !isGuarded(one)).map(({ name }) => name)];
    await control.rows(`delete from ${ORIGINALS} where name in (${forgotten.map(quoteText).join(",")})`);
    originals = originals.filter(isGuarded);
  }
  for (const one of originals) if (isGuarded(one)) await control.define(`drop trigger if exists ${quoteName(one.name)}`);
  for (const one of originals)
    if (isGuarded(one) || !bodies.has(one.name)) await create(control, one.create, one.mode, one.client, one.collation);
  await control.rows(`drop table ${ORIGINALS}`);
}

function original([name, table, sql, mode, client, collation]: Row): Original {
  return { name: name!, table: table!, create: sql!, mode: mode!, client: client!, collation: collation! };
}
