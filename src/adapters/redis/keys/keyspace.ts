import { createHash } from "node:crypto";
import type { Argument, Connection, RawReply } from "../connect/driver.ts";
import { keyElsewhere, placeOfKey } from "./other-indexes.ts";
import { bytesOf, entryOf, type Bytes, type Entry } from "./entry.ts";
import { sameEntry, withoutExpired } from "./exact-text.ts";
import { notPutBack } from "../connect/failures.ts";
import { keyFilter } from "./glob.ts";
import { isReserved, RESERVED } from "./reserved.ts";
import { APPLY, DECODE, DELETE_UNUSED, READ, SCAN } from "../dump/scripts.ts";

const KEYS_A_READ = 200;
/** The maximum number of keys that one script changes. */
export const KEYS_A_WRITE = 100;
const KEYS_A_SCAN = 1000;
/** The remaining time, in milliseconds, of a key that expires instead of being deleted. */
export const LAST_MS = 25;
const MOST_TRIES = 5;

/** A key and the entry that a restore writes to it; `null` if the restore deletes the key. */
export type Fix = readonly [key: Bytes, wanted: Entry | null];

/** The entries that keys must still have when they are written; `null` for a key that must not exist. */
export type Expected = ReadonlyMap<Bytes, Entry | null>;

export interface Applying {
  /** A channel for messages before and after the changes, with a token. Default: no messages. */
  readonly channel?: string;
  readonly token?: string;
  /** The expected value of the server's count of changes; only for at most {@link KEYS_A_WRITE} keys. Default: the count is not compared. */
  readonly changes?: string;
  /** Each key in this map is written only if it still has the given entry. Default: all keys are written. */
  readonly expected?: Expected | undefined;
  /** `true`: a key whose wanted entry is `null` expires within {@link LAST_MS}, instead of being deleted. Default: `false`. */
  readonly expires?: boolean;
}

export interface Applied {
  /** With a channel: the reply to INFO after the changes. {@link WRITTEN} if nothing was changed, because the server's count of changes differs. */
  readonly stats: string;
  /** The keys that were not written, because they have other entries than expected. */
  readonly skipped: readonly Bytes[];
}

/** The keys of one database or of a whole server, read and written in bulk. */
export class Keyspace {
  readonly connection: Connection;
  /** `true` if the keyspace includes the other databases of the server. */
  readonly isWhole: boolean;
  readonly #observes: (key: Bytes) => boolean;
  #clockOffsetMs = -Infinity;
  #hasLifetimes: Promise<"0" | "1"> | undefined;

  /** @param ignore Patterns of the keys that are neither read nor written. */
  constructor(connection: Connection, isWhole: boolean = false, ignore: readonly string[] = []) {
    this.connection = connection;
    this.isWhole = isWhole;
    this.#observes = keyFilter(undefined, ignore);
  }

  /** Returns `true` if the keyspace includes a key. Reserved and ignored keys are excluded. */
  holds(key: Bytes): boolean {
    return !isReserved(key) && this.#observes(key);
  }

  /** The server's current time in ms since 1970, estimated from earlier reads. */
  get nowMs(): number {
    return Date.now() + (this.#clockOffsetMs === -Infinity ? 0 : this.#clockOffsetMs);
  }

  async keys(): Promise<Set<Bytes>> {
    const keys = new Set<Bytes>();
    for (const db of ["", ...(await this.#others())]) {
      let cursor = "0";
      do {
        const [next, found] = await this.#scan(db, cursor);
        for (const one of found) {
          const key = one.toString("latin1");
          if (this.holds(key)) keys.add(db === "" ? key : keyElsewhere(db, key));
        }
        cursor = next.toString("latin1");
      } while (cursor !== "0");
    }
    return keys;
  }

  async #scan(db: string, cursor: string): Promise<[Buffer, readonly Buffer[]]> {
    const reply =
      db === "" ? this.connection.bytes("SCAN", cursor, "COUNT", KEYS_A_SCAN) : SCAN.run(this.connection, [db, cursor, KEYS_A_SCAN]);
    return (await reply) as [Buffer, readonly Buffer[]];
  }

  async #others(): Promise<readonly string[]> {
    if (!this.isWhole) return [];
    const held = String(await this.connection.text("INFO", "keyspace")).matchAll(/^db(\d+):/gm);
    return [...held].map(([, db]) => db!).filter((db) => db !== String(this.connection.place.db));
  }

  async read(keys: Iterable<Bytes>): Promise<Map<Bytes, Entry | null>> {
    const byDatabase = new Map<string, Bytes[]>();
    for (const key of keys) {
      const [db] = placeOfKey(key);
      const those = byDatabase.get(db);
      if (those === undefined) byDatabase.set(db, [key]);
      else those.push(key);
    }
    const parts: Promise<(readonly [Bytes, Entry | null])[]>[] = [];
    for (const [db, all] of byDatabase)
      for (let i = 0; i < all.length; i += KEYS_A_READ) parts.push(this.#readPart(db, all.slice(i, i + KEYS_A_READ)));
    return new Map((await Promise.all(parts)).flat());
  }

  async readAll(): Promise<Map<Bytes, Entry>> {
    const all = await this.read(await this.keys());
    for (const [key, entry] of all) if (entry === null) all.delete(key);
    return all as Map<Bytes, Entry>;
  }

  /** Decodes replies to DUMP, which only the server can do. Returns entries without expiry times; `null` for a hash whose fields have all expired. */
  async decode(dumps: readonly Bytes[]): Promise<(Entry | null)[]> {
    const entries: (Entry | null)[] = [];
    for (let i = 0; i < dumps.length; i += KEYS_A_READ) {
      const part = dumps.slice(i, i + KEYS_A_READ).map(bytesOf);
      entries.push(
        ...this.#entriesIn(await DECODE.run(this.connection, [`${RESERVED}decode`, await this.#fieldLifetimes(), ...part]), part.length),
      );
    }
    return entries;
  }

  /**
   * Returns the number of keys that were used since a time, and the number of keys whose last use is unknown. With `unused`, deletes the keys that
   * were not used since the time. With `unknown`, also deletes the keys whose last use is unknown. With `none`, deletes no key.
   */
  async deleteUnused(sinceMs: number, which: "none" | "unused" | "unknown"): Promise<{ used: number; unknown: number }> {
    const keys = [...(await this.keys())].map(bytesOf);
    const found = { used: 0, unknown: 0 };
    for (let i = 0; i < keys.length; i += KEYS_A_WRITE) {
      const parameters = [Math.ceil(sinceMs / 1000), which, ...keys.slice(i, i + KEYS_A_WRITE)];
      const [used, unknown] = (await DELETE_UNUSED.run(this.connection, parameters)) as [number, number];
      found.used += used;
      found.unknown += unknown;
    }
    return found;
  }

  /** Writes entries. @throws SeqqaError `STORE_NOT_PUT_BACK` */
  async apply(
    fixes: readonly Fix[],
    { channel = "", token = "", changes = "", expected, expires = false }: Applying = {},
  ): Promise<Applied> {
    const own = String(this.connection.place.db);
    const atOfMissing = expires ? String(LAST_MS) : "0";
    const parts: Promise<RawReply>[] = [];
    // Run the script even if there is nothing to write, because the caller waits for the message with the token.
    for (let i = 0; i === 0 || i < fixes.length; i += KEYS_A_WRITE) {
      const last = i + KEYS_A_WRITE >= fixes.length;
      const parameters: Argument[] = [channel, last ? token : `${token}+`, changes, own];
      for (const [key, wanted] of fixes.slice(i, i + KEYS_A_WRITE)) {
        const [db, name] = placeOfKey(key);
        parameters.push(db || own, bytesOf(name), wanted === null ? atOfMissing : wanted.at, wanted === null ? "" : bytesOf(wanted.dump));
        parameters.push(stateOf(expected?.get(key)));
      }
      parts.push(APPLY.run(this.connection, parameters));
    }
    let stats = "";
    const skipped: Bytes[] = [];
    for (const [part, one] of (await Promise.allSettled(parts)).entries()) {
      if (one.status === "rejected") throw notPutBack(this.connection.place, one.reason);
      const [info, ...left] = (Array.isArray(one.value) ? one.value : [one.value]) as [Buffer, ...number[]];
      stats = info.toString("latin1");
      for (const at of left) skipped.push(fixes[part * KEYS_A_WRITE + at]![0]);
    }
    return { stats, skipped };
  }

  /**
   * Writes entries to the keys that still have their expected entries. Returns the keys that another client has changed, with their present entries.
   * @param write Calls {@link apply} for some of the keys, and returns the keys that were not written.
   */
  async applyToUnchanged(
    fixes: readonly Fix[],
    expected: Expected,
    write: (fixes: readonly Fix[], expected: Expected) => Promise<readonly Bytes[]>,
  ): Promise<Expected> {
    const changed = new Map<Bytes, Entry | null>();
    let [left, present] = [fixes, expected];
    for (let tries = 1; left.length > 0; tries++) {
      const skipped = await write(left, present);
      present = skipped.length === 0 ? new Map<Bytes, Entry | null>() : await this.read(skipped);
      // Try a skipped key again if its value is unchanged. The script compares replies to DUMP, which may differ without a write, because the order
      // of large sets and hashes can change.
      for (const [key, entry] of present) {
        const wanted = expected.get(key) ?? null;
        const isSame = sameEntry(wanted, entry) || sameEntry(withoutExpired(wanted, this.nowMs), entry);
        if (tries === MOST_TRIES || !isSame) changed.set(key, entry);
      }
      left = left.filter(([key]) => present.has(key) && !changed.has(key));
    }
    return changed;
  }

  async #readPart(db: string, keys: readonly Bytes[]): Promise<(readonly [Bytes, Entry | null])[]> {
    const names = keys.map((key) => bytesOf(placeOfKey(key)[1]));
    const entries = this.#entriesIn(await READ.run(this.connection, [db, await this.#fieldLifetimes(), ...names]), keys.length);
    return keys.map((key, i) => [key, entries[i]!] as const);
  }

  /** Returns `1` if fields of hashes can expire on this server and the user is allowed to call the commands for their expiry times, else `0`. */
  #fieldLifetimes(): Promise<"0" | "1"> {
    this.#hasLifetimes ??= this.connection.bytes("COMMAND", "INFO", "HPEXPIRETIME").then(
      (reply) => (Array.isArray(reply) && Array.isArray(reply[0]) ? "1" : "0"),
      () => "0",
    );
    return this.#hasLifetimes;
  }

  /** Converts the reply of a script that reads `count` keys. */
  #entriesIn(reply: RawReply, count: number): (Entry | null)[] {
    const [seconds, micros, ...found] = reply as [Buffer, Buffer, ...RawReply[]];
    const readMs = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
    // Network delay makes the measured offset too small, so the largest measured offset is the most accurate.
    this.#clockOffsetMs = Math.max(this.#clockOffsetMs, readMs - Date.now());
    return Array.from({ length: count }, (_, i) => entryOf(found[i] ?? null, readMs));
  }
}

/** Returns the expected present state of a key, as an argument of {@link APPLY}; empty if every state is accepted. */
function stateOf(expected: Entry | null | undefined): string {
  if (expected === undefined) return "";
  if (expected === null) return "-";
  return `${expected.at || -1} ${createHash("sha1").update(expected.dump, "latin1").digest("hex")}`;
}
