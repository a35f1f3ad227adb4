import type { Argument, Connection, RawReply } from "./driver.ts";
import { bytesOf, entryOf, renewed, type Bytes, type Entry } from "./entry.ts";
import { notPutBack } from "./failures.ts";
import { isReserved } from "./reserved.ts";
import { APPLY, READ } from "./scripts.ts";

const KEYS_A_READ = 200;
/** Keys that one script puts into other states. */
export const KEYS_A_WRITE = 100;
const KEYS_A_SCAN = 1000;

/** One key that is to be put into another state; `null`: it is to go. */
export type Fix = readonly [key: Bytes, wanted: Entry | null];

/** The keys of one database, read and written in bulk. */
export class Keyspace {
  readonly connection: Connection;
  #clockOffsetMs = -Infinity;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** The server's time, as well as it is known here. */
  get nowMs(): number {
    return Date.now() + (this.#clockOffsetMs === -Infinity ? 0 : this.#clockOffsetMs);
  }

  /** All keys but ours. */
  async keys(): Promise<Set<Bytes>> {
    const keys = new Set<Bytes>();
    for (let cursor = "0"; ;) {
      const [next, found] = (await this.connection.bytes("SCAN", cursor, "COUNT", KEYS_A_SCAN)) as [Buffer, readonly Buffer[]];
      for (const one of found) {
        const key = one.toString("latin1");
        if (!isReserved(key)) keys.add(key);
      }
      cursor = next.toString("latin1");
      if (cursor === "0") return keys;
    }
  }

  async read(keys: Iterable<Bytes>): Promise<Map<Bytes, Entry | null>> {
    const all = [...keys];
    const parts: Promise<(readonly [Bytes, Entry | null])[]>[] = [];
    for (let i = 0; i < all.length; i += KEYS_A_READ) parts.push(this.#readPart(all.slice(i, i + KEYS_A_READ)));
    return new Map((await Promise.all(parts)).flat());
  }

  async readAll(): Promise<Map<Bytes, Entry>> {
    const all = await this.read(await this.keys());
    for (const [key, entry] of all) if (entry === null) all.delete(key);
    return all as Map<Bytes, Entry>;
  }

  /**
   * Puts keys into the wanted states. Entries whose time is renewed on the way are told so. Returns what INFO says afterwards, with a channel. With
   * `changes`, of up to {@link KEYS_A_WRITE} keys: only where the server has counted no more of them, else returns {@link WRITTEN}.
   *
   * @throws SeqqaError `STORE_NOT_PUT_BACK`
   */
  async apply(fixes: readonly Fix[], channel: string, token: string, changes = ""): Promise<string> {
    const now = this.nowMs;
    const parts: Promise<RawReply>[] = [];
    // Without fixes too: the token is waited for.
    for (let i = 0; i === 0 || i < fixes.length; i += KEYS_A_WRITE) {
      const last = i + KEYS_A_WRITE >= fixes.length;
      const parameters: Argument[] = [channel, last ? token : `${token}+`, changes];
      for (const [key, wanted] of fixes.slice(i, i + KEYS_A_WRITE)) {
        if (wanted !== null) wanted.at = renewed(wanted, now);
        parameters.push(bytesOf(key), wanted === null ? "0" : wanted.at, wanted === null ? "" : bytesOf(wanted.dump));
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

  async #readPart(keys: readonly Bytes[]): Promise<(readonly [Bytes, Entry | null])[]> {
    const [seconds, micros, ...found] = (await READ.run(this.connection, keys.map(bytesOf))) as [Buffer, Buffer, ...RawReply[]];
    const readMs = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
    // A reply only ever comes late, so the largest is the best.
    this.#clockOffsetMs = Math.max(this.#clockOffsetMs, readMs - Date.now());
    return keys.map((key, i) => [key, entryOf(found[i] ?? null, readMs)] as const);
  }
}
