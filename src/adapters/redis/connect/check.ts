import { SeqqaError } from "../../../model/errors.ts";
import { leftBehind, requireNotInPlace } from "../../../stores/external/external-store.ts";
import { hasChanges } from "../../../model/stores/leftover.ts";
import { COPIED, type StoreCheck, type StoreUse } from "../../../model/stores/store-provider.ts";
import { Connection } from "./driver.ts";
import { hasKeyspace, mayNot, readNotifications, setNotifications } from "../dump/notifications.ts";
import { serverBinary } from "../provider/own-server.ts";
import { inPlaceRun, leftIn } from "../dump/leftovers.ts";
import { redisPlace, shownPlace } from "./redis-url.ts";
import { RESERVED } from "../keys/reserved.ts";
import { Script, TRIAL } from "../dump/scripts.ts";
import { evicting, moduleNames, OLDEST, serverFacts, unsupported } from "./server-facts.ts";

/**
 * A script that returns three integers: how many databases the server has, how many of them are empty, and the index of the last empty database (-1
 * if there is none).
 */
const COUNT = new Script(`local n, empty, last = 0, 0, -1
while not (redis.pcall('SELECT', n))['err'] do
  if redis.call('DBSIZE') == 0 then empty, last = empty + 1, n end
  n = n + 1
end
return {n, empty, last}`);

/** Checks a Redis server for `seqqa doctor`. Changes no settings, and writes nothing to a database that lanes copy. */
export async function checkRedis(url: string, use: StoreUse = COPIED): Promise<readonly StoreCheck[]> {
  const checks: StoreCheck[] = [];
  const add = (ok: boolean, what: string, says: string): void => void checks.push({ ok, what, says });
  let connection: Connection;
  try {
    const place = redisPlace(url);
    connection = await Connection.open(place);
    add(true, "reachable", `Redis answers at ${shownPlace(place)}.`);
  } catch (error) {
    add(false, "reachable", sentence(error));
    return checks;
  }
  try {
    await checkVersion(connection, add);
    // With `isolation: server`, seqqa only reads the keys of this server.
    const isOnlyRead = !use.inPlace && use.isolation !== "index";
    if (isOnlyRead) await guarded(add, "isolation server", () => checkIsolationServer(connection, add));
    else {
      await guarded(add, "privileges", () => checkPrivileges(connection, add, use));
      await guarded(add, "notifications", () => checkNotifications(connection, add));
      await guarded(add, "memory", () => checkMemory(connection, add, use));
      if (!use.inPlace) await guarded(add, "isolation index", () => checkIsolationIndex(connection, add));
    }
    await guarded(add, "leftovers", () => checkLeftovers(connection, add, use));
  } finally {
    connection.close();
  }
  return checks;
}

type Add = (ok: boolean, what: string, says: string) => void;

async function guarded(add: Add, what: string, look: () => Promise<void>): Promise<void> {
  try {
    await look();
  } catch (error) {
    add(false, what, sentence(error));
  }
}

function sentence(error: unknown): string {
  if (error instanceof SeqqaError) return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  return "The check failed.";
}

async function checkVersion(connection: Connection, add: Add): Promise<void> {
  await guarded(add, "version", async () => {
    const facts = new Map([...(await serverFacts(connection, "server")), ...(await serverFacts(connection, "replication"))]);
    const why = unsupported(facts);
    const version = facts.get("redis_version") ?? "unknown";
    add(
      why === undefined,
      "version",
      why === undefined
        ? `Redis ${version}, a single server.`
        : `seqqa cannot restore this server, because ${why}. Use a single server of Redis ${OLDEST} or newer.`,
    );
  });
}

async function checkPrivileges(connection: Connection, add: Add, { inPlace }: StoreUse): Promise<void> {
  // The trial writes a key. Use an empty database for it, because nothing must be written to the template.
  const db = inPlace ? connection.place.db : ((await databases(connection))[2] ?? -1);
  if (db < 0) return;
  const trial = await Connection.open({ ...connection.place, db });
  try {
    await TRIAL.run(trial, [`${RESERVED}trial`]);
  } finally {
    trial.close();
  }
  add(true, "privileges", "The user in the store's URL is allowed to read and restore keys (DUMP, RESTORE, Lua scripts).");
}

async function checkNotifications(connection: Connection, add: Add): Promise<void> {
  const slow = "seqqa reads all keys for every state, which is slow beyond a few thousand keys";
  const flags = await readNotifications(connection);
  // Set `notify-keyspace-events` to its current value. This changes nothing, but shows whether the user has permission to change the setting.
  const allowed = flags !== undefined && (hasKeyspace(flags) || (await setNotifications(connection, flags)));
  let counted = true;
  try {
    await connection.text("INFO", "commandstats");
  } catch (error) {
    if (!mayNot(error)) throw error;
    counted = false;
  }
  if (allowed && counted) add(true, "notifications", "seqqa can use keyspace notifications, so it reads only keys that changed.");
  else
    add(
      false,
      "notifications",
      `The user in the store's URL is not allowed to use ${allowed ? "INFO commandstats" : "CONFIG GET and SET of notify-keyspace-events"}, so ${slow}. Grant the user permission for these commands.`,
    );
}

async function checkMemory(connection: Connection, add: Add, { inPlace }: StoreUse): Promise<void> {
  const facts = await serverFacts(connection, "memory");
  const why = evicting(facts, inPlace ? "saved" : "lanes");
  if (why !== undefined) return add(false, "memory", `The server ${why}. Type: CONFIG SET maxmemory-policy noeviction.`);
  const [limit, policy] = [Number(facts.get("maxmemory") ?? 0), facts.get("maxmemory_policy") ?? "noeviction"];
  if (limit === 0) add(true, "memory", "The server has no memory limit, so it evicts no keys.");
  else if (policy === "noeviction") add(true, "memory", "The server evicts no keys when it reaches its memory limit.");
  else add(true, "memory", `The server may evict keys at its memory limit (${policy}), but it has room for a copy of the data.`);
}

async function checkIsolationServer(connection: Connection, add: Add): Promise<void> {
  const binary = serverBinary();
  const modules = await moduleNames(connection);
  const held = [...(await serverFacts(connection, "keyspace")).keys()].map((name) => name.slice("db".length));
  const others = held.filter((db) => db !== String(connection.place.db));
  add(
    binary !== undefined,
    "isolation server",
    binary === undefined
      ? "The program redis-server is not installed. Install the program, or set `isolation: index` for this store."
      : `seqqa starts a Redis server for each lane with ${binary}.${modules.length === 0 ? "" : ` If the target uses modules (${modules.join(", ")}) that these servers lack, set \`isolation: index\`.`}${others.length === 0 ? "" : ` The keys in the databases ${others.join(", ")} are not copied.`}`,
  );
}

async function databases(connection: Connection): Promise<readonly number[]> {
  return ((await COUNT.run(connection, [])) as readonly number[]).map(Number);
}

async function checkIsolationIndex(connection: Connection, add: Add): Promise<void> {
  const [all = 0, free = 0] = await databases(connection);
  const lanes = Math.max(0, free - 1);
  add(
    lanes > 0,
    "isolation index",
    lanes > 0
      ? `${free} of ${all} databases are empty, which is enough for ${lanes} lanes.`
      : `No database is free for a lane (the server has ${all}). Raise \`databases\` in redis.conf, or set \`isolation: server\`.`,
  );
}

/** Checks that no other run uses the database in place or left changes in it. */
async function checkLeftovers({ place }: Connection, add: Add, { inPlace }: StoreUse): Promise<void> {
  const store = `the Redis database ${shownPlace(place)}`;
  const run = await inPlaceRun(place);
  if (!inPlace || run === "alive") requireNotInPlace(store, run);
  if (run === "dead") {
    const found = await leftIn(place);
    if (hasChanges(found)) throw leftBehind(found);
  }
  add(true, "leftovers", `No other run uses ${store} or left changes in it.`);
}
