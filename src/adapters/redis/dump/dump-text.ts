import { exactText } from "../keys/exact-text.ts";
import type { Keyspace } from "../keys/keyspace.ts";

/**
 * Returns the database as text, without seqqa's own keys. Each line has key, type, expiry in ms since 1970, and value. All keys are read from the
 * server.
 */
export async function dumpKeys(keyspace: Keyspace): Promise<string> {
  const all = [...(await keyspace.readAll())].sort(([a], [b]) => (a < b ? -1 : 1));
  return all.map(([key, entry]) => `${JSON.stringify(key)} ${entry.type} ${entry.at || "-"} ${exactText(entry)}`).join("\n");
}
