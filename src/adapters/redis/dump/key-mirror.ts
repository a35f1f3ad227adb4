import type { Bytes, Entry } from "../keys/entry.ts";
import { sameEntry } from "../keys/exact-text.ts";

/** The changes between two readings. The identity of a segment is the identity of the state at its end. */
export interface Segment {
  readonly depth: number;
  /** The entries before, by key; `null`: there was none. */
  readonly before: ReadonlyMap<Bytes, Entry | null>;
}

/** The keys as this process knows them: the root state, what differs from it now, and a stack of the changes in between. */
export class KeyMirror {
  readonly base: ReadonlyMap<Bytes, Entry>;
  readonly #net = new Map<Bytes, Entry | null>();
  #segments: Segment[] = [{ depth: 0, before: new Map() }];

  constructor(base: ReadonlyMap<Bytes, Entry>) {
    this.base = base;
  }

  /** The state as of the last reading. */
  get top(): Segment {
    return this.#segments.at(-1)!;
  }

  /** The root state. */
  get bottom(): Segment {
    return this.#segments[0]!;
  }

  /** Returns `true` if a state is the present one or one that it grew from. */
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

  /** Keys that were touched since the root state. */
  touched(): IterableIterator<Bytes> {
    return this.#net.keys();
  }

  /** Returns all keys that there are now. */
  *present(): IterableIterator<Bytes> {
    for (const key of this.base.keys()) if (this.#net.get(key) !== null) yield key;
    for (const [key, entry] of this.#net) if (entry !== null && !this.base.has(key)) yield key;
  }

  /** Returns the present state as a whole. */
  whole(): Map<Bytes, Entry> {
    const all = new Map(this.base);
    for (const [key, entry] of this.#net) {
      if (entry === null) all.delete(key);
      else all.set(key, entry);
    }
    return all;
  }

  /** Takes in what was read; an unchanged key leaves no trace. */
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

  /** Returns the entries in a state that {@link holds}, for the keys that changed since. */
  changesTo(segment: Segment): Map<Bytes, Entry | null> {
    const wanted = new Map<Bytes, Entry | null>();
    for (let i = this.#segments.length - 1; i > segment.depth; i--) {
      for (const [key, entry] of this.#segments[i]!.before) wanted.set(key, entry);
    }
    return wanted;
  }

  /** Records that the store was restored to a state that {@link holds}. */
  popTo(segment: Segment): void {
    for (const [key, entry] of this.changesTo(segment)) this.#set(key, entry);
    this.#segments.length = segment.depth + 1;
  }

  #set(key: Bytes, entry: Entry | null): void {
    if (entry === this.baseOf(key)) this.#net.delete(key);
    else this.#net.set(key, entry);
  }
}
