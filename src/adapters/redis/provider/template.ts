import { SeqqaError } from "../../../model/errors.ts";
import { Connection, type RawReply } from "../connect/driver.ts";
import { renewed, type Bytes, type Entry } from "../keys/entry.ts";
import { Keyspace } from "../keys/keyspace.ts";
import { mayNot } from "../dump/notifications.ts";
import { shownPlace, type RedisPlace } from "../connect/redis-url.ts";
import { requireServer } from "../connect/server-facts.ts";

/** The initial data of every lane: all keys of the template's database and the functions of its server. */
export interface Template {
  readonly place: RedisPlace;
  readonly keys: ReadonlyMap<Bytes, Entry>;
  readonly functions: Buffer | undefined;
}

/** @throws SeqqaError `STORE_UNREACHABLE`, `STORE_MISSING`, `STORE_NOT_ALLOWED`, `STORE_UNSUPPORTED` */
export async function readTemplate(place: RedisPlace): Promise<Template> {
  const connection = await Connection.open(place);
  try {
    await requireServer(connection);
    return { place, keys: await new Keyspace(connection).readAll(), functions: await functionsOf(connection) };
  } finally {
    connection.close();
  }
}

export async function fill(place: RedisPlace, template: Template, options: { readonly functions: boolean }): Promise<void> {
  const connection = await Connection.open(place);
  try {
    const { keys, functions } = template;
    if (options.functions && functions !== undefined) await connection.bytes("FUNCTION", "RESTORE", functions, "REPLACE");
    const keyspace = new Keyspace(connection);
    const now = keyspace.nowMs;
    await keyspace.apply([...keys].map(([key, entry]) => [key, { ...entry, at: renewed(entry, now) }]));
  } catch (error) {
    throw notCopied(place, template.place, error);
  } finally {
    connection.close();
  }
}

/** Returns the functions of the server (Redis FUNCTION) as a dump. `undefined` if there are none, or if the user is not allowed to list them. */
async function functionsOf(connection: Connection): Promise<Buffer | undefined> {
  try {
    const listed = (await connection.bytes("FUNCTION", "LIST")) as readonly RawReply[];
    return listed.length === 0 ? undefined : ((await connection.bytes("FUNCTION", "DUMP")) as Buffer);
  } catch (error) {
    if (mayNot(error)) return undefined;
    throw error;
  }
}

function notCopied(to: RedisPlace, from: RedisPlace, cause: unknown): unknown {
  if (!(cause instanceof SeqqaError) || !/payload version|Bad data format/i.test(cause.message)) return cause;
  return new SeqqaError(
    "STORE_NOT_COPIED",
    `seqqa cannot copy the keys of ${shownPlace(from)} to the lane's server ${shownPlace(to)}, which is older or lacks a module.`,
    {
      hint: "Install the program redis-server in the version of the configured server. Or set `isolation: index`: lanes then use the configured server.",
      exitStatus: 2,
      cause,
    },
  );
}
