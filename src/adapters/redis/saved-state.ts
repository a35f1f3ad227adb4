import type { Argument, RawReply } from "./driver.ts";
import { bytesOf, type Bytes, type Entry } from "./entry.ts";
import type { Fix, Keyspace } from "./keyspace.ts";
import type { Registry } from "./registry.ts";
import { claimKey, savedKey } from "./registry-scripts.ts";

const KEYS_AT_ONCE = 200;

/** Keeps a whole database in the registry, so that whoever comes after a SIGKILL can put it back. */
export async function saveState({ connection }: Registry, db: number, state: ReadonlyMap<Bytes, Entry>): Promise<void> {
  await connection.bytes("HDEL", claimKey(db), "saved");
  await connection.bytes("DEL", savedKey(db));
  let fields: Argument[] = [];
  const send = async (): Promise<void> => {
    if (fields.length > 0) await connection.bytes("HSET", savedKey(db), ...fields);
    fields = [];
  };
  for (const [key, { at, left, dump }] of state) {
    fields.push(bytesOf(key), bytesOf(`${at} ${left} ${dump}`));
    if (fields.length >= KEYS_AT_ONCE * 2) await send();
  }
  await send();
  await connection.bytes("HSET", claimKey(db), "saved", "1");
}

/** Puts a database into its saved state, on a connection to it. */
export async function putSavedBack({ connection }: Registry, keyspace: Keyspace): Promise<void> {
  const { db } = keyspace.connection.place;
  const flat = (await connection.bytes("HGETALL", savedKey(db))) as readonly RawReply[];
  const saved = new Map<Bytes, Entry>();
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const text = (flat[i + 1] as Buffer).toString("latin1");
    const [, at, left] = /^(\d+) (\d+) /.exec(text) as unknown as [string, string, string];
    const dump = text.slice(at.length + left.length + 2);
    saved.set((flat[i] as Buffer).toString("latin1"), { type: "", dump, at: Number(at), left: Number(left), readMs: 0, value: null });
  }
  const now = await keyspace.readAll();
  const fixes: Fix[] = [];
  for (const key of now.keys()) if (!saved.has(key)) fixes.push([key, null]);
  for (const [key, entry] of saved) {
    const present = now.get(key);
    if (present?.dump !== entry.dump || present.at !== entry.at) fixes.push([key, entry]);
  }
  if (fixes.length > 0) await keyspace.apply(fixes, "", "");
}
