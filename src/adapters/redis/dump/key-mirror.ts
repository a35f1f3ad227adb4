import type { Bytes, Entry } from "../keys/entry.ts";
import { sameEntry } from "../keys/exact-text.ts";

/** A snapshot of a state: its differences from the root state, as plain data that can be cloned, sent and written to another lane. */
export interface KeyImage {
  readonly kind: "keys";
  readonly keys: readonly ImageKey[];
  /** Keys of the root state that no longer exist. */
  readonly gone: readonly Bytes[];
}

interface ImageKey extends Entry {
  readonly key: Bytes;
}

/** The changes between two reads of the store. The object also identifies the state at the second read. */
export interface Segment {
  readonly depth: number;
  /** The entries of the changed keys before the changes; `null` for a key that did not exist. */
  readonly before: ReadonlyMap<Bytes, Entry | null>;
}

/**
 * The content of the database as this process knows it: the root state, the differences of the current state from it, and a stack of the changes
 * (segments) that led to the current state.
 */
export class KeyMirror {
  readonly base: ReadonlyMap<Bytes, Entry>;
  readonly #net = new Map<Bytes, Entry | null>();
  #segments: Segment[] = [{ depth: 0, before: new Map() }];

  constructor(base: ReadonlyMap<Bytes, Entry>) {
    this.base = base;
  }

  /** The segment that ended with the last read. It identifies the current state. */
  get top(): Segment {
    return this.#segments.at(-1)!;
  }

  get bottom(): Segment {
    return this.#segments[0]!;
  }

  /** Returns `true` if a segment is on the stack: its state is the current state, or a state that can be restored. */
  holds(segment: Segment): boolean {
    return this.#segments[segment.depth] === segment;
  }

  baseOf(key: Bytes): Entry | null {
    return this.base.get(key) ?? null;
  }

  now(key: Bytes): Entry | null {
    const one = this.#net.get(key);
    return one === undefined ? this.baseOf(key) : one;
  }

  /** The keys that were changed since the root state, even if they now have their original values again. */
  touched(): IterableIterator<Bytes> {
    return this.#net.keys();
  }

  *present(): IterableIterator<Bytes> {
    for (const key of this.base.keys()) if (this.#net.get(key) !== null) yield key;
    for (const [key, entry] of this.#net) if (entry !== null && !this.base.has(key)) yield key;
  }

  whole(): Map<Bytes, Entry> {
    const all = new Map(this.base);
    for (const [key, entry] of this.#net) {
      if (entry === null) all.delete(key);
      else all.set(key, entry);
    }
    return all;
  }

  /** Stores entries that were read, as a new segment on the stack. Unchanged entries are skipped. */
  push(read: Iterable<readonly [Bytes, Entry | null]>): void {
    const before = new Map<Bytes, Entry | null>();
    for (const [key, entry] of read) {
      const old = this.now(key);
      if (sameEntry(old, entry)) continue;
      if (!before.has(key)) before.set(key, old);
      this.#set(key, entry);
    }
    if (before.size > 0) this.#segments.push({ depth: this.#segments.length, before });
  }

  /** Returns the keys that changed after the state of a segment, with the entries that they had in that state. */
  changesTo(segment: Segment): Map<Bytes, Entry | null> {
    const wanted = new Map<Bytes, Entry | null>();
    for (let i = this.#segments.length - 1; i > segment.depth; i--) {
      for (const [key, entry] of this.#segments[i]!.before) wanted.set(key, entry);
    }
    return wanted;
  }

  popTo(segment: Segment): void {
    for (const [key, entry] of this.changesTo(segment)) this.#set(key, entry);
    this.#segments.length = segment.depth + 1;
  }

  #set(key: Bytes, entry: Entry | null): void {
    if (entry === this.baseOf(key)) this.#net.delete(key);
    else this.#net.set(key, entry);
  }
}

/** Copies the entry, because a restore modifies the expiry time of the original. */
export function imageKey(key: Bytes, entry: Entry): ImageKey {
  return { ...entry, key };
}

export function entryOfImage({ key: _key, ...entry }: ImageKey): Entry {
  return entry;
}

export function isKeyImage(image: unknown): image is KeyImage {
  return typeof image === "object" && image !== null && (image as { kind?: unknown }).kind === "keys";
}
