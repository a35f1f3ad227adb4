import { deserialize, serialize } from "node:v8";
import { Paged } from "./paged.ts";
import type { Spill } from "./spill.ts";

/** Approximate limit for the size of the snapshots that are kept in memory, in bytes. */
const MOST_BYTES = 48 << 20;
/** Number of snapshots in a batch. A batch is written to the {@link Spill} when it has this many snapshots or BATCH_BYTES bytes. */
const BATCH_IMAGES = 1024;
const BATCH_BYTES = 256 << 10;
/**
 * Largest number of batches that stay in memory after they were read back. A single batch would not be enough, because each lane works at another
 * place in the queue.
 */
const READ = 16;
/** One snapshot in this many is measured, to estimate the size of all snapshots. */
const SAMPLE = 64;
/** Estimated ratio of a snapshot's size in memory to its serialized size. The ratio was measured for small objects. */
const IN_MEMORY = 3;

interface Batch {
  readonly place: number;
  readonly length: number;
  /** Number of snapshots in the batch that are still needed. */
  left: number;
}

/**
 * The snapshots of nodes that wait in the frontier. About 50 MB of snapshots are in memory. All others are written to the {@link Spill} in batches,
 * in the order in which they arrive. A batch is read back as a whole.
 *
 * Snapshots beyond the 50 MB are dropped if there is no spill, if they cannot be serialized, or if the disk is full. There is a spill only if the
 * strategy needs the snapshots in about the order in which they arrive. A node without a snapshot is reached by replay.
 */
export class SnapshotStore {
  readonly #spill: Spill | undefined;
  readonly #most: number;
  readonly #live: Map<number, unknown> = new Map();
  #pending: Map<number, unknown> = new Map();
  readonly #batches: Map<number, Batch> = new Map();
  /**
   * For each node: the number, counted from 1, of the batch that contains the node's snapshot. 0 if no batch contains it. Created with the first
   * batch.
   */
  #batchOf: Paged<Int32Array> | undefined;
  #next = 1;
  /** Batches that were read back, by number. The most recently used batch is last. */
  readonly #read: Map<number, ReadonlyMap<number, unknown>> = new Map();
  #puts = 0;
  /** Estimated size of one snapshot, in bytes. */
  #each = 0;

  /** @param most Approximate limit for the size of the snapshots that are kept in memory, in bytes. */
  constructor(spill?: Spill, most: number = MOST_BYTES) {
    this.#spill = spill;
    this.#most = most;
  }

  get inMemory(): number {
    let read = 0;
    for (const batch of this.#read.values()) read += batch.size;
    return this.#live.size + this.#pending.size + read;
  }

  put(node: number, snapshot: unknown): void {
    if (this.#puts++ % SAMPLE === 0) this.#measure(snapshot);
    if (this.#live.size * this.#each < this.#most) {
      this.#live.set(node, snapshot);
      return;
    }
    if (this.#spill === undefined) return;
    this.#pending.set(node, snapshot);
    if (this.#pending.size >= BATCH_IMAGES || this.#pending.size * this.#each >= BATCH_BYTES) this.#writeOut(this.#spill);
  }

  get(node: number): unknown {
    const snapshot = this.#live.get(node) ?? this.#pending.get(node);
    return snapshot === undefined && this.#batchOf !== undefined ? this.#batch(this.#batchOf.atOr0(node))?.get(node) : snapshot;
  }

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
      // Ignore the error, since a node without a snapshot is reached by replay.
    }
  }

  #batch(number: number): ReadonlyMap<number, unknown> | undefined {
    const batch = this.#batches.get(number);
    if (batch === undefined) return undefined;
    let snapshots = this.#read.get(number);
    if (snapshots === undefined) {
      snapshots = this.#readIn(batch);
      const [oldest] = this.#read.keys();
      if (this.#read.size >= READ) this.#read.delete(oldest!);
    } else this.#read.delete(number);
    this.#read.set(number, snapshots);
    return snapshots;
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

  #measure(snapshot: unknown): void {
    const bytes = sizeOf(snapshot);
    this.#each = this.#puts === 1 ? bytes : 0.9 * this.#each + 0.1 * bytes;
  }
}

function sizeOf(snapshot: unknown): number {
  if (typeof snapshot === "string") return snapshot.length + 32;
  try {
    return IN_MEMORY * serialize(snapshot).length;
  } catch {
    return 1024;
  }
}
