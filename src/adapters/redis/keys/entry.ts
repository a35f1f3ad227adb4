import { lifetimeOf } from "../../../model/lifetimes.ts";
import type { RawReply } from "../connect/driver.ts";

/** Bytes as a string with one character per byte. Such strings are compact, comparable with `===` and usable as keys of a Map. */
export type Bytes = string;

/** A reply of the server with its bytes as strings. */
export type Reply = Bytes | number | null | readonly Reply[];

/** The content of one key. All states in which the key has this content share one object. */
export interface Entry {
  readonly type: string;
  readonly dump: Bytes;
  /** The expiry time in ms since 1970; 0 for never. A restore may set a new time, see {@link renewed}. */
  at: number;
  /** The remaining time to live when the key was read, in milliseconds; 0 if the key does not expire. */
  readonly left: number;
  /**
   * The lifetime that the key got during the run, in seconds, rounded up by {@link lifetimeOf}. Absent if the key got no lifetime during the
   * run, or a lifetime of more than 400 days.
   */
  readonly lifetime?: number | undefined;
  /** The time on the server when the key was read, in milliseconds since 1970. */
  readonly readMs: number;
  /** The value as the commands of its type return it. */
  readonly value: Reply;
  /** The names of the hash fields that expire, each followed by its expiry time in ms since 1970. Absent if there are none. */
  readonly fieldTimes?: readonly Reply[];
}

export function bytesOf(text: Bytes): Buffer {
  return Buffer.from(text, "latin1");
}

export function replyOf(raw: RawReply): Reply {
  if (Buffer.isBuffer(raw)) return raw.toString("latin1");
  return Array.isArray(raw) ? raw.map(replyOf) : (raw as number | null);
}

/** Converts the part of a script's reply that describes one key to an entry; `null` for a missing key. */
export function entryOf(raw: RawReply, readMs: number): Entry | null {
  if (raw === null) return null;
  const [type, dump, at, value, fieldTimes] = raw as readonly RawReply[];
  const expires = Math.max(0, Number(at));
  return {
    type: (type as Buffer).toString("latin1"),
    dump: (dump as Buffer).toString("latin1"),
    at: expires,
    left: expires === 0 ? 0 : Math.max(1, expires - readMs),
    readMs,
    value: replyOf(value as RawReply),
    ...(Array.isArray(fieldTimes) && fieldTimes.length > 0 && { fieldTimes: fieldTimes.map(replyOf) }),
  };
}

/**
 * The types whose changes the server always announces. `ReJSON-RL` and `TSDB-TYPE` are the types of RedisJSON and RedisTimeSeries. Other modules need
 * not announce changes.
 */
const ANNOUNCED: ReadonlySet<string> = new Set(["string", "list", "set", "zset", "hash", "ReJSON-RL", "TSDB-TYPE"]);

/**
 * Returns `true` if commands can change the entry without a notification: streams with consumer groups, HyperLogLogs with a cached cardinality, vector
 * sets, and values of modules, such as Bloom filters.
 */
export function isQuiet(entry: Entry): boolean {
  return !ANNOUNCED.has(entry.type) || (entry.type === "string" && (entry.value as Bytes).startsWith("HYLL"));
}

/**
 * Returns an entry that was just read, with its lifetime; see {@link lifetimeOf}. If the expiry time is the same as in `before`, the entry gets the lifetime of `before`, because a write that keeps the expiry time, such as the increment of a
 * counter, must not change the lifetime.
 */
export function withLifetime(before: Entry | null, entry: Entry | null): Entry | null {
  if (entry === null || entry.at === 0) return entry;
  if (before?.at === entry.at) return { ...entry, left: before.left, lifetime: before.lifetime };
  return { ...entry, lifetime: lifetimeOf(entry.left) };
}

/**
 * Returns an entry whose remaining time is reduced by `ms`, the time by which the target's clock was moved ahead; `null` if no time remains. Uses the
 * recorded remaining time, because the real remaining time depends on when the state was restored.
 */
export function aged(entry: Entry, ms: number, nowMs: number): Entry | null {
  const left = entry.left - ms;
  return left <= 0
    ? null
    : { ...entry, at: Math.ceil(nowMs + left), left, lifetime: entry.lifetime && Math.max(0, entry.lifetime - ms / 1_000) };
}

/**
 * Returns the expiry time for a restored key. The key keeps its expiry time while at least half of its original remaining time is left. Otherwise,
 * the key gets the full remaining time again, so that a state that is restored after hours still has all its keys.
 */
export function renewed({ at, left }: Pick<Entry, "at" | "left">, nowMs: number): number {
  return at === 0 || at - nowMs >= left / 2 ? at : Math.ceil(nowMs + left);
}

/** A tolerance in milliseconds, because the server's time is known only approximately. */
const CLOCK_ERROR_MS = 10;

/** Returns `true` if the server may have removed a key by now, because its expiry time has passed. */
export function isOver({ at }: Pick<Entry, "at">, nowMs: number): boolean {
  return at !== 0 && at <= nowMs + CLOCK_ERROR_MS;
}

/** Returns the earliest time at which {@link renewed} gives the entry a new expiry time; `Infinity` if it never does. */
export function renewalMs({ at, left }: Entry): number {
  return at === 0 ? Infinity : at - left / 2;
}
