import type { RawReply } from "../connect/driver.ts";

/** Bytes as a string with one character for each: compact, comparable by `===`, usable as a key of Maps. */
export type Bytes = string;

/** A reply with its bytes as strings. */
export type Reply = Bytes | number | null | readonly Reply[];

/** The content of one key. The same object is used in every state that has it. */
export interface Entry {
  readonly type: string;
  /** The payload of DUMP. */
  readonly dump: Bytes;
  /** The time at which it expires, in ms since 1970; 0: never. Changes when the key is restored with a new time, see {@link renewed}. */
  at: number;
  /** The time that it had left when it was read, in ms; 0: it does not expire. */
  readonly left: number;
  /** The server's time when it was read, in ms since 1970. */
  readonly readMs: number;
  /** The value as the commands of its type give it. */
  readonly value: Reply;
}

export function bytesOf(text: Bytes): Buffer {
  return Buffer.from(text, "latin1");
}

export function replyOf(raw: RawReply): Reply {
  if (Buffer.isBuffer(raw)) return raw.toString("latin1");
  return Array.isArray(raw) ? raw.map(replyOf) : (raw as number | null);
}

/** Returns the entry in the read script's reply for one key; `null`: there is no such key. */
export function entryOf(raw: RawReply, readMs: number): Entry | null {
  if (raw === null) return null;
  const [type, dump, at, value] = raw as readonly RawReply[];
  const expires = Math.max(0, Number(at));
  return {
    type: (type as Buffer).toString("latin1"),
    dump: (dump as Buffer).toString("latin1"),
    at: expires,
    left: expires === 0 ? 0 : Math.max(1, expires - readMs),
    readMs,
    value: replyOf(value as RawReply),
  };
}

/** Returns `true` if commands can change the entry without a notification: consumer groups, and the cardinality that a HyperLogLog remembers. */
export function isQuiet(entry: Entry): boolean {
  return entry.type === "stream" || (entry.type === "string" && (entry.value as Bytes).startsWith("HYLL"));
}

/**
 * Returns when a restored key expires. It keeps its own time while at least half of what it had left (when its state was first read) is still ahead;
 * else it gets all of that again. A state that is restored after hours has the same keys that it had.
 */
export function renewed({ at, left }: Pick<Entry, "at" | "left">, nowMs: number): number {
  return at === 0 || at - nowMs >= left / 2 ? at : Math.ceil(nowMs + left);
}

/** Returns when {@link renewed} begins to give an entry another time; `Infinity`: never. */
export function renewalMs({ at, left }: Entry): number {
  return at === 0 ? Infinity : at - left / 2;
}
