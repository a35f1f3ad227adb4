import { deserialize, serialize } from "node:v8";
import { Paged } from "./paged.ts";
import type { Spill } from "./spill.ts";

/** Bytes of captured states in memory, about. */
const MOST_BYTES = 48 << 20;
/** Written out together. */
const BATCH_IMAGES = 1024;
const BATCH_BYTES = 256 << 10;
/** Batches that were read and stay in memory: every lane is at another place of the queue. */
const READ = 16;
/** One state in so many is measured. */
const SAMPLE = 64;
/** What a value needs in memory to what it needs written out, measured for small objects. */
const IN_MEMORY = 3;

interface Batch {
  readonly place: number;
  readonly length: number;
  /** States in it that are still wanted. */
  left: number;
}

/**
 * The captured states of nodes that wait in the frontier. Some 50 MB of them are in memory; the others are written out in batches, in the order in
 * which they came, and a batch is read again whole. Where there is no spill (no disk, an order that does not come back to them in about the order in which they
 * came), where a value cannot be written out and where the disk is full, they are forgotten: whoever misses one gets to the node by replay.
 */
export class SnapshotStore {
  readonly #spill: Spill | undefined;
  readonly #most: number;
  readonly #live: Map<number, unknown> = new Map();
  /** The next batch. */
  #pending: Map<number, unknown> = new Map();
  readonly #batches: Map<number, Batch> = new Map();
  /** Per node the number of its batch after 1; 0: it is in none. Made when the first is written. */
  #batchOf: Paged<Int32Array> | undefined;
  #next = 1;
  /** The one that was asked for last stands last. */
  readonly #read: Map<number, ReadonlyMap<number, unknown>> = new Map();
  #puts = 0;
  /** Bytes of a state, about. */
  #each = 0;

  /** `most`: bytes in memory, about. */
  constructor(spill?: Spill, most: number = MOST_BYTES) {
    this.#spill = spill;
    this.#most = most;
  }

  /** States in memory. */
  get inMemory(): number {
    let read = 0;
    for (const batch of this.#read.values()) read += batch.size;
    return this.#live.size + this.#pending.size + read;
  }

  put(node: number, image: unknown): void {
    if (this.#puts++ % SAMPLE === 0) this.#measure(image);
    if (this.#live.size * this.#each < this.#most) {
      this.#live.set(node, image);
      return;
    }
    if (this.#spill === undefined) return;
    this.#pending.set(node, image);
    if (this.#pending.size >= BATCH_IMAGES || this.#pending.size * this.#each >= BATCH_BYTES) this.#writeOut(this.#spill);
  }

  get(node: number): unknown {
    const image = this.#live.get(node) ?? this.#pending.get(node);
    return image === undefined && this.#batchOf !== undefined ? this.#batch(this.#batchOf.atOr0(node))?.get(node) : image;
  }

  /** Nobody wants it any more. */
  delete(node: number): void {
    if (this.#live.delete(node) || this.#pending.delete(node) || this.#batchOf === undefined) return;
    const number = this.#batchOf.atOr0(node);
    const batch = this.#batches.get(number);
    if (batch === undefined) return;
    this.#batchOf.set(node, 0);
    if (--batch.left === 0) this.#forget(number);
  }

  clear(): void {
    this.#live.clear();
    this.#pending.clear();
    for (const number of this.#batches.keys()) this.#forget(number);
  }

  #forget(number: number): void {
    const { place, length } = this.#batches.get(number)!;
    this.#batches.delete(number);
    this.#read.delete(number);
    this.#spill!.free(place, length);
  }

  #writeOut(spill: Spill): void {
    const pending = this.#pending;
    this.#pending = new Map();
    try {
      const bytes = serialize(pending);
      const place = spill.write(bytes);
      const number = this.#next++;
      this.#batches.set(number, { place, length: bytes.length, left: pending.size });
      this.#batchOf ??= new Paged(Int32Array);
      for (const node of pending.keys()) this.#batchOf.set(node, number);
    } catch {
      // They are reached by replay.
    }
  }

  #batch(number: number): ReadonlyMap<number, unknown> | undefined {
    const batch = this.#batches.get(number);
    if (batch === undefined) return undefined;
    let images = this.#read.get(number);
    if (images === undefined) {
      images = this.#readIn(batch);
      const [oldest] = this.#read.keys();
      if (this.#read.size >= READ) this.#read.delete(oldest!);
    } else this.#read.delete(number);
    this.#read.set(number, images);
    return images;
  }

  #readIn({ place, length }: Batch): ReadonlyMap<number, unknown> {
    try {
      const bytes = Buffer.allocUnsafe(length);
      this.#spill!.read(place, bytes);
      return deserialize(bytes) as Map<number, unknown>;
    } catch {
      return new Map();
    }
  }

  #measure(image: unknown): void {
    const bytes = sizeOf(image);
    this.#each = this.#puts === 1 ? bytes : 0.9 * this.#each + 0.1 * bytes;
  }
}

function sizeOf(image: unknown): number {
  if (typeof image === "string") return image.length + 32;
  try {
    return IN_MEMORY * serialize(image).length;
  } catch {
    return 1024;
  }
}
