import { SeqqaError } from "../../../model/errors.ts";
import type { Connection } from "./driver.ts";
import { shownPlace } from "./redis-url.ts";
import { mayNot } from "../dump/notifications.ts";

/** The oldest supported release: version 7.0 introduced PEXPIRETIME. */
export const OLDEST = "7.0";

export type ServerFacts = ReadonlyMap<string, string>;

export async function serverFacts(connection: Connection, section: string): Promise<ServerFacts> {
  const text = String(await connection.text("INFO", section));
  return new Map([...text.matchAll(/^([^:#\r\n]+):(.*?)\r?$/gm)].map(([, name, value]) => [name!, value!]));
}

/** Matches the counter of a command of a module or a vector set in the reply to INFO. */
const MODULE_COMMAND = /^cmdstat_(?:v(?:add|sim)|[^:\s]+\.[^:\s]+):/im;

/**
 * Returns the names of the server's modules. The list is empty if there are none, or if the user is not allowed to call INFO. With `used`, the list
 * is also empty if no client has used a command of a module.
 */
export async function moduleNames(connection: Connection, { used = false }: { readonly used?: boolean } = {}): Promise<readonly string[]> {
  try {
    const text = String(await connection.text("INFO", "modules", "commandstats"));
    return used && !MODULE_COMMAND.test(text) ? [] : [...text.matchAll(/^module:name=([^,\r\n]+)/gm)].map(([, name]) => name!);
  } catch (error) {
    if (mayNot(error)) return [];
    throw error;
  }
}

/** Checks that seqqa can restore the server. @throws SeqqaError `STORE_UNSUPPORTED` for old releases, clusters and replicas */
export async function requireServer(connection: Connection): Promise<void> {
  let facts: ServerFacts;
  try {
    facts = new Map([...(await serverFacts(connection, "server")), ...(await serverFacts(connection, "replication"))]);
  } catch (error) {
    // If the user is not allowed to call INFO, skip the checks. Later commands fail if something is missing.
    if (error instanceof SeqqaError && error.code === "STORE_NOT_ALLOWED") return;
    throw error;
  }
  const why = unsupported(facts);
  if (why === undefined) return;
  throw new SeqqaError("STORE_UNSUPPORTED", `Redis at ${shownPlace(connection.place)} cannot be restored: ${why}.`, {
    hint: `Use a single server (a primary) of Redis ${OLDEST} or newer.`,
    exitStatus: 2,
  });
}

export function unsupported(facts: ServerFacts): string | undefined {
  const version = facts.get("redis_version") ?? "0";
  const [major = 0] = version.split(".").map(Number);
  if (major < 7) return `its version is ${/^[\d.]{1,20}$/.test(version) ? version : "unknown"}`;
  if (facts.get("redis_mode") === "cluster") return "it is part of a cluster";
  if (facts.get("redis_mode") === "sentinel") return "it is a sentinel";
  if (facts.get("role") === "slave") return "it is a replica";
  return undefined;
}

/**
 * Checks that the server does not evict any of the user's keys when a run writes a copy of data to the server. Does nothing if the user is not
 * allowed to call INFO.
 * @param copies The data that the run writes: `saved` for the original content of an external database, which must not be evicted; `lanes` for the
 * databases of lanes.
 * @param copyBytes The size of the copy in bytes. Default: the size of the server's present data.
 * @returns the size of the server's present data, in bytes; 0 if the user is not allowed to call INFO
 * @throws SeqqaError `STORE_UNSUPPORTED`
 */
export async function requireNoEviction(connection: Connection, copies: "saved" | "lanes", copyBytes?: number): Promise<number> {
  let facts: ServerFacts;
  try {
    facts = await serverFacts(connection, "memory");
  } catch (error) {
    if (mayNot(error)) return 0;
    throw error;
  }
  const why = evicting(facts, copies, copyBytes);
  if (why === undefined) return dataBytes(facts);
  throw new SeqqaError(
    "STORE_UNSUPPORTED",
    `seqqa does not copy the keys of Redis at ${shownPlace(connection.place)}, because the server ${why}.`,
    { hint: copies === "lanes" ? `${NO_EVICTION} Or use fewer lanes (--parallel).` : NO_EVICTION, exitStatus: 2 },
  );
}

const NO_EVICTION =
  "Type: CONFIG SET maxmemory-policy noeviction. Or let seqqa start the target with a Redis server for each lane (`target.command` and `isolation: server`).";

/** The memory that a run needs, as a multiple of the copied data: for the copy, and for the run's changes to the copy. */
const ROOM = 2;

const bytesIn = (facts: ServerFacts, name: string): number => Number(facts.get(name) ?? 0);
const dataBytes = (facts: ServerFacts): number => bytesIn(facts, "used_memory") - bytesIn(facts, "used_memory_startup");

/**
 * Returns the reason why the server may evict keys when a run writes a copy to the server; `undefined` if it will not evict keys. The parameters have
 * the same meaning as for {@link requireNoEviction}.
 */
export function evicting(facts: ServerFacts, copies: "saved" | "lanes", copyBytes: number = dataBytes(facts)): string | undefined {
  const [limit, policy] = [bytesIn(facts, "maxmemory"), facts.get("maxmemory_policy") ?? "noeviction"];
  if (limit === 0 || policy === "noeviction") return undefined;
  if (copies === "saved" && policy.startsWith("allkeys")) return `may evict any key when it reaches its memory limit (${policy})`;
  const used = bytesIn(facts, "used_memory");
  if (used + ROOM * copyBytes <= limit) return undefined;
  const megabytes = (size: number): string => `${(size / 2 ** 20).toFixed(1)} MB`;
  const keys = policy.startsWith("allkeys") ? "keys" : "keys with an expiry time";
  return `may evict ${keys} (${policy}) to make room for seqqa's copy: ${megabytes(used)} of ${megabytes(limit)} are in use`;
}
