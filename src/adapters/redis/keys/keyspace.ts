import type { Argument, Connection, RawReply } from "../connect/driver.ts";
import { keyElsewhere, placeOfKey } from "./other-indexes.ts";
import { bytesOf, entryOf, renewed, type Bytes, type Entry } from "./entry.ts";
import { notPutBack } from "../connect/failures.ts";
import { keyFilter } from "./glob.ts";
import { isReserved } from "./reserved.ts";
import { APPLY, READ, SCAN } from "../dump/scripts.ts";

const KEYS_A_READ = 200;
/** The maximum number of keys that one script changes. */
export const KEYS_A_WRITE = 100;
const KEYS_A_SCAN = 1000;

/** A key and the entry that a restore writes to it; `null` if the restore deletes the key. */
export type Fix = readonly [key: Bytes, wanted: Entry | null];

/** The keys of one database or of a whole server, read and written in bulk. */
export class Keyspace {
  readonly connection: Connection;
  /** `true` if the keyspace includes the other databases of the server. */
  readonly isWhole: boolean;
  readonly #observes: (key: Bytes) => boolean;
  #clockOffsetMs = -Infinity;

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

  /**
   * Writes entries. If a key gets a new expiry time, its entry is updated. With a channel, returns the reply to INFO after the changes. `changes`:
   * the expected value of the server's count of changes; only for at most {@link KEYS_A_WRITE} keys. If the count differs, nothing is changed, and
   * the result is `WRITTEN`.
   *
   * @throws SeqqaError `STORE_NOT_PUT_BACK`
   */
  async apply(fixes: readonly Fix[], channel: string, token: string, changes = ""): Promise<string> {
    const now = this.nowMs;
    const own = String(this.connection.place.db);
    const parts: Promise<RawReply>[] = [];
    // Run the script even if there is nothing to write, because the caller waits for the message with the token.
    for (let i = 0; i === 0 || i < fixes.length; i += KEYS_A_WRITE) {
      const last = i + KEYS_A_WRITE >= fixes.length;
      const parameters: Argument[] = [channel, last ? token : `${token}+`, changes, own];
      for (const [key, wanted] of fixes.slice(i, i + KEYS_A_WRITE)) {
        if (wanted !== null) wanted.at = renewed(wanted, now);
        const [db, name] = placeOfKey(key);
        parameters.push(db || own, bytesOf(name), wanted === null ? "0" : wanted.at, wanted === null ? "" : bytesOf(wanted.dump));
      }
      parts.push(APPLY.run(this.connection, parameters));
    }
    let stats = "";
    for (const one of await Promise.allSettled(parts)) {
      if (one.status === "rejected") throw notPutBack(this.connection.place, one.reason);
      stats = (one.value as Buffer).toString("latin1");
    }
    return stats;
  }

  async #readPart(db: string, keys: readonly Bytes[]): Promise<(readonly [Bytes, Entry | null])[]> {
    const names = keys.map((key) => bytesOf(placeOfKey(key)[1]));
    const [seconds, micros, ...found] = (await READ.run(this.connection, [db, ...names])) as [Buffer, Buffer, ...RawReply[]];
    const readMs = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
    // The offset is measured too small by the network delay, so the largest measured offset is the most accurate.
    this.#clockOffsetMs = Math.max(this.#clockOffsetMs, readMs - Date.now());
    return keys.map((key, i) => [key, entryOf(found[i] ?? null, readMs)] as const);
  }
}
