import { SeqqaError } from "../../../model/errors.ts";
import { requireNotInPlace } from "../../../stores/external/external-store.ts";
import { Connection, type RawReply } from "../connect/driver.ts";
import { renewed, type Bytes, type Entry } from "../keys/entry.ts";
import { Keyspace } from "../keys/keyspace.ts";
import { inPlaceRun } from "../dump/leftovers.ts";
import { mayNot, readNotifications } from "../dump/notifications.ts";
import { shownPlace, type RedisPlace } from "../connect/redis-url.ts";
import { moduleNames, requireServer } from "../connect/server-facts.ts";

/** The initial data of every lane: all keys of the template's database and the functions of its server. */
export interface Template {
  readonly place: RedisPlace;
  readonly keys: ReadonlyMap<Bytes, Entry>;
  readonly functions: Buffer | undefined;
  /** The names of the server's modules. Empty if no client has used a command of a module, because some releases of Redis load modules by default. */
  readonly modules: readonly string[];
  /** The server's value of `notify-keyspace-events`; empty if the user is not allowed to read it. */
  readonly notifications: string;
}

/**
 * Reads the initial data of lanes from a database. @throws SeqqaError `STORE_UNREACHABLE`, `STORE_NOT_ALLOWED`, `STORE_UNSUPPORTED`, `STORE_IN_USE`,
 * `STORE_LEFT`
 */
export async function readTemplate(place: RedisPlace): Promise<Template> {
  const connection = await Connection.open(place);
  try {
    await requireServer(connection);
    requireNotInPlace(`the Redis database ${shownPlace(place)}`, await inPlaceRun(place));
    const keys = await new Keyspace(connection).readAll();
    return {
      place,
      keys,
      functions: await functionsOf(connection),
      modules: await moduleNames(connection, { used: true }),
      notifications: (await readNotifications(connection)) ?? "",
    };
  } finally {
    connection.close();
  }
}

/**
 * Writes the initial data to a lane's database. `isOwn`: `true` if the lane has its own server. This server then gets the functions of the template's
 * server, and must have the same modules.
 *
 * @throws SeqqaError `STORE_NOT_COPIED`
 */
export async function fill(place: RedisPlace, template: Template, { isOwn }: { readonly isOwn: boolean }): Promise<void> {
  const connection = await Connection.open(place);
  try {
    const { keys, functions } = template;
    if (isOwn) await requireModules(connection, template);
    if (isOwn && functions !== undefined) await connection.bytes("FUNCTION", "RESTORE", functions, "REPLACE");
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

async function requireModules(connection: Connection, { place, modules }: Template): Promise<void> {
  const present = modules.length === 0 ? [] : await moduleNames(connection);
  const missing = modules.filter((name) => !present.includes(name));
  if (missing.length === 0) return;
  throw new SeqqaError(
    "STORE_NOT_COPIED",
    `The Redis servers that seqqa starts for lanes lack modules of ${shownPlace(place)} that clients have used: ${missing.join(", ")}.`,
    { hint: "Set `isolation: index` for this store. Lanes then use databases of the configured server.", exitStatus: 2 },
  );
}

function notCopied(to: RedisPlace, from: RedisPlace, cause: unknown): unknown {
  if (!(cause instanceof SeqqaError) || !/payload version|Bad data format/i.test(cause.message)) return cause;
  return new SeqqaError(
    "STORE_NOT_COPIED",
    `seqqa cannot copy the keys of ${shownPlace(from)} to the lane's server ${shownPlace(to)}, which is older or lacks a module.`,
    {
      hint: "Install the program redis-server in the version of the configured server. Or set `isolation: index` for this store: lanes then use databases of the configured server.",
      exitStatus: 2,
      cause,
    },
  );
}
