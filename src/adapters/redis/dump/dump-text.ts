import { exactText } from "../keys/exact-text.ts";
import type { Keyspace } from "../keys/keyspace.ts";

/** Dumps everything in the database except our own keys, a line each: key, type, expiry in ms since 1970, value. All keys are read again. */
export async function dumpKeys(keyspace: Keyspace): Promise<string> {
  const all = [...(await keyspace.readAll())].sort(([a], [b]) => (a < b ? -1 : 1));
  return all.map(([key, entry]) => `${JSON.stringify(key)} ${entry.type} ${entry.at || "-"} ${exactText(entry)}`).join("\n");
}
