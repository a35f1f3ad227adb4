import { SeqqaError } from "../../../model/errors.ts";
import type { Leftover, RowImage, RowImages } from "../../../model/stores/leftover.ts";
import type { Argument, RawReply } from "../connect/driver.ts";
import { bytesOf, isOver, type Bytes, type Entry, type Reply } from "../keys/entry.ts";
import { sameEntry, withoutExpired } from "../keys/exact-text.ts";
import type { Expected, Fix, Keyspace } from "../keys/keyspace.ts";
import { shownPlace, type RedisPlace } from "../connect/redis-url.ts";
import type { Registry } from "../provider/registry.ts";
import { claimKey, nextKey, recordedKey, savedKey } from "../provider/registry-scripts.ts";

const KEYS_AT_ONCE = 200;

/** Returns the text under which an entry is saved in the Redis registry; `-` for a missing key. */
export function textOf(entry: Entry | null): Bytes {
  return entry === null ? "-" : `${entry.at} ${entry.left} ${entry.dump}`;
}

/**
 * Saves a whole database, except ignored keys, in the registry. Another process can then restore the database, even after a SIGKILL of this process.
 */
export async function saveState(
  { connection }: Registry,
  db: number,
  state: ReadonlyMap<Bytes, Entry>,
  ignore: readonly string[],
): Promise<void> {
  await connection.bytes("HDEL", claimKey(db), "saved");
  await connection.bytes("DEL", savedKey(db), recordedKey(db), nextKey(db));
  let fields: Argument[] = [];
  const send = async (): Promise<void> => {
    if (fields.length > 0) await connection.bytes("HSET", savedKey(db), ...fields);
    fields = [];
  };
  for (const [key, entry] of state) {
    fields.push(bytesOf(key), bytesOf(textOf(entry)));
    if (fields.length >= KEYS_AT_ONCE * 2) await send();
  }
  await send();
  const now = Date.now();
  const saved = ["saved", "1", "keys", state.size, "since", now, "at", now, "ignore", JSON.stringify(ignore)];
  await connection.bytes("HSET", claimKey(db), ...saved);
}

export async function ignoredKeys({ connection }: Registry, db: number): Promise<readonly string[]> {
  const ignore = (await connection.text("HGET", claimKey(db), "ignore")) as string | null;
  return ignore === null ? [] : (JSON.parse(ignore) as string[]);
}

type Keys = ReadonlyMap<Bytes, Entry | null>;

/** The original and the recorded entries, as the run that uses an external database knows them. */
export interface KnownKeys {
  readonly root: Keys;
  readonly recorded: Keys;
}

/**
 * Four states of an external database: at the start of the run, as the run last recorded it, as the run was about to write it, and the present state.
 */
interface Images {
  readonly root: Keys;
  readonly recorded: Keys;
  readonly next: Keys;
  readonly now: ReadonlyMap<Bytes, Entry>;
}

/** The comparison of an external database with its saved state. */
export interface Compared {
  /** `undo`: the keys that can be restored. `keep`: the keys that other clients changed. */
  readonly leftover: Leftover;
  /** The changes for the restore, in the same order as the keys in `leftover.undo`. */
  readonly fixes: readonly Fix[];
  /** The present entries of the keys to restore. */
  readonly now: Expected;
}

/**
 * Compares an external database that a run left behind with its saved state. `keyspace` must be connected to that database. Keys are restored with
 * their original expiry times, so a key that would have expired by now counts as missing in each of the saved states. `known`: the entries that the
 * run itself knows, if it is still alive. They are used instead of the saved state.
 *
 * @throws SeqqaError `STORE_NOT_PUT_BACK` if the saved state is missing
 */
export async function compareSaved(registry: Registry, keyspace: Keyspace, known?: KnownKeys): Promise<Compared> {
  const { place } = keyspace.connection;
  const now = await keyspace.readAll();
  const { root, recorded } = known === undefined ? await knownFrom(registry, keyspace) : present(known, keyspace.nowMs);
  const next = await savedKeys(registry, keyspace, nextKey(place.db));
  const [since, at] = (await registry.connection.bytes("HMGET", claimKey(place.db), "since", "at")) as readonly RawReply[];
  const ms = (reply: RawReply | undefined): number => Number(String(reply ?? 0)) || 0;
  return compare({ root, recorded, next, now }, place, { sinceMs: ms(since), recordedMs: ms(at) });
}

/**
 * Compares a database from which somebody has deleted all that a run saved on the server (FLUSHALL) with the keys that the run saved in a file. Keys
 * that do not exist can be restored, because they were deleted together with the saved state. `saved`: the original keys, each with its entry as text.
 */
export async function compareFile(
  keyspace: Keyspace,
  sinceMs: number,
  saved: readonly (readonly [key: Bytes, text: Bytes])[],
): Promise<Compared> {
  const now = await keyspace.readAll();
  const root = await entriesOf(keyspace, saved);
  const recorded = new Map([...root.keys()].filter((key) => !now.has(key)).map((key) => [key, null]));
  return compare({ root, recorded, next: new Map(), now }, keyspace.connection.place, { sinceMs, recordedMs: sinceMs });
}

function compare(images: Images, place: RedisPlace, times: Pick<Leftover, "sinceMs" | "recordedMs">): Compared {
  const { root, recorded, next, now: present } = images;
  const undo: RowImages[] = [];
  const keep: RowImages[] = [];
  const fixes: Fix[] = [];
  for (const key of [...new Set([...root.keys(), ...present.keys(), ...recorded.keys(), ...next.keys()])].sort()) {
    const was = root.get(key) ?? null;
    const now = present.get(key) ?? null;
    if (sameEntry(was, now)) continue;
    const row = {
      table: "key",
      key: shownText(key),
      root: shownEntry(was),
      recorded: shownEntry(recordedOf(images, key)),
      now: shownEntry(now),
    };
    if (isRuns(images, key)) {
      undo.push(row);
      fixes.push([key, was]);
    } else keep.push(row);
  }
  return {
    leftover: { store: `the Redis database ${shownPlace(place)}`, ...times, undo, keep },
    fixes,
    now: new Map(fixes.map(([key]) => [key, present.get(key) ?? null])),
  };
}

/** Returns the leftover with the keys in `changed` moved from `undo` to `keep`, because another client changed them after the comparison. */
export function withChanged({ leftover, fixes }: Compared, changed: Expected): Leftover {
  const late = leftover.undo.flatMap((row, i) => {
    const now = changed.get(fixes[i]![0]);
    return now === undefined ? [] : [{ ...row, now: shownEntry(now) }];
  });
  return { ...leftover, undo: leftover.undo.filter((_, i) => !changed.has(fixes[i]![0])), keep: [...leftover.keep, ...late] };
}

function recordedOf({ root, recorded }: Images, key: Bytes): Entry | null {
  const one = recorded.get(key);
  return one === undefined ? (root.get(key) ?? null) : one;
}

/** Returns `true` if a key still has the value that the run wrote or was about to write, or if the key has expired since then. */
function isRuns(images: Images, key: Bytes): boolean {
  const now = images.now.get(key) ?? null;
  if (sameEntry(recordedOf(images, key), now)) return true;
  const next = images.next.get(key);
  return next !== undefined && sameEntry(next, now);
}

/** Reads what a run saved on the server. @throws SeqqaError `STORE_NOT_PUT_BACK` */
async function knownFrom(registry: Registry, keyspace: Keyspace): Promise<KnownKeys> {
  const { connection, db: at } = registry;
  const { place } = keyspace.connection;
  const [count, length] = [await connection.text("HGET", claimKey(place.db), "keys"), await connection.text("HLEN", savedKey(place.db))];
  // Runs of older releases saved no count.
  if (count !== null && Number(count) !== Number(length)) throw lost(place, at);
  return {
    root: await savedKeys(registry, keyspace, savedKey(place.db)),
    recorded: await savedKeys(registry, keyspace, recordedKey(place.db)),
  };
}

function lost(place: RedisPlace, registry: number): SeqqaError {
  const keys = [claimKey, savedKey, recordedKey, nextKey].map((key) => key(place.db)).join(" ");
  return new SeqqaError(
    "STORE_NOT_PUT_BACK",
    `seqqa cannot restore the keys that an earlier run changed in the Redis database ${shownPlace(place)}. The server has evicted or lost the copy of the original keys.`,
    {
      hint: `Restore the keys from a backup that was made before the run. Or, to keep the present keys, delete seqqa's records of the run: redis-cli -n ${registry} DEL ${keys}`,
    },
  );
}

/**
 * Returns the entries without keys and hash fields that have expired. Expired fields remain in the dumps, because the server drops them when it
 * restores a dump.
 */
function present({ root, recorded }: KnownKeys, nowMs: number): KnownKeys {
  const left = (keys: Keys): Keys =>
    new Map(
      [...keys].map(([key, entry]) => {
        const rest = withoutExpired(entry, nowMs);
        return [key, rest && { ...rest, dump: entry!.dump }];
      }),
    );
  return { root: left(root), recorded: left(recorded) };
}

/** Converts entries that were saved as text to their original form; `null` for a key that would have expired by now. */
async function savedKeys({ connection }: Registry, keyspace: Keyspace, hash: string): Promise<Map<Bytes, Entry | null>> {
  const flat = (await connection.bytes("HGETALL", hash)) as readonly RawReply[];
  const texts: [Bytes, Bytes][] = [];
  for (let i = 0; i + 1 < flat.length; i += 2)
    texts.push([(flat[i] as Buffer).toString("latin1"), (flat[i + 1] as Buffer).toString("latin1")]);
  return entriesOf(keyspace, texts);
}

async function entriesOf(keyspace: Keyspace, texts: readonly (readonly [key: Bytes, text: Bytes])[]): Promise<Map<Bytes, Entry | null>> {
  const keys = new Map<Bytes, Entry | null>();
  const saved: { key: Bytes; at: number; left: number; dump: Bytes }[] = [];
  for (const [key, text] of texts) {
    const parts = /^(\d+) (\d+) /.exec(text);
    if (parts === null) keys.set(key, null);
    else saved.push({ key, at: Number(parts[1]), left: Number(parts[2]), dump: text.slice(parts[0].length) });
  }
  const decoded = await keyspace.decode(saved.map(({ dump }) => dump));
  for (const [i, { key, at, left }] of saved.entries()) {
    const entry = decoded[i] ?? null;
    keys.set(key, entry === null || isOver({ at }, keyspace.nowMs) ? null : { ...entry, at, left });
  }
  return keys;
}

function shownText(bytes: Bytes): string {
  return bytesOf(bytes).toString("utf8");
}

export function shownEntry(entry: Entry | null): RowImage | null {
  if (entry === null) return null;
  const plain = (reply: Reply): unknown => (typeof reply === "string" ? shownText(reply) : Array.isArray(reply) ? reply.map(plain) : reply);
  return { type: entry.type, value: plain(entry.value), ...(entry.at !== 0 && { expires: new Date(entry.at).toISOString() }) };
}
