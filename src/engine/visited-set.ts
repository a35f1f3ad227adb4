/** The shared memory of a {@link VisitedSet}, for readers in other threads. */
export interface VisitedMemory {
  readonly slots: SharedArrayBuffer;
  readonly keys: SharedArrayBuffer;
}

/** Slots are at most this full, so that a probe is short. */
const MOST_FULL = 0.6;

/**
 * Which states were committed: an open-addressing table over 64-bit fingerprints, which numbers them 0, 1, 2, ... in the order of
 * their insertion. One writer (the main thread); lanes read it through shared memory only to leave payloads out, so that a stale
 * or torn read there costs bytes and never correctness.
 *
 * Memory per state: 8 bytes of key and, at a load of 0.3 to 0.6, 7 to 14 bytes of slots. Two states that share a fingerprint are
 * taken for one; the result states the probability.
 */
export class VisitedSet {
  #slots: Int32Array;
  #keys: Int32Array;
  #mask: number;
  #size = 0;

  constructor(capacity: number = 1 << 12) {
    this.#slots = new Int32Array(new SharedArrayBuffer(capacity * 4));
    this.#keys = new Int32Array(new SharedArrayBuffer(capacity * 4));
    this.#mask = capacity - 1;
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes held. */
  get bytes(): number {
    return this.#slots.byteLength + this.#keys.byteLength;
  }

  get memory(): VisitedMemory {
    return { slots: this.#slots.buffer as SharedArrayBuffer, keys: this.#keys.buffer as SharedArrayBuffer };
  }

  /** The number of a state, or -1. */
  find(lo: number, hi: number): number {
    return find(this.#slots, this.#keys, this.#mask, lo, hi);
  }

  /** Adds a state that is not in the set, and returns its number. */
  add(lo: number, hi: number): number {
    const id = this.#size;
    if (2 * id + 1 >= this.#keys.length) this.#growKeys();
    if (id >= (this.#mask + 1) * MOST_FULL) this.#growSlots();
    this.#keys[2 * id] = lo;
    this.#keys[2 * id + 1] = hi;
    this.#place(id, lo, hi);
    this.#size = id + 1;
    return id;
  }

  lo(id: number): number {
    return this.#keys[2 * id]!;
  }

  hi(id: number): number {
    return this.#keys[2 * id + 1]!;
  }

  #place(id: number, lo: number, hi: number): void {
    let slot = home(lo, hi) & this.#mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
    this.#slots[slot] = id + 1;
  }

  #growKeys(): void {
    const grown = new Int32Array(new SharedArrayBuffer(this.#keys.byteLength * 2));
    grown.set(this.#keys);
    this.#keys = grown;
  }

  #growSlots(): void {
    const capacity = (this.#mask + 1) * 2;
    this.#slots = new Int32Array(new SharedArrayBuffer(capacity * 4));
    this.#mask = capacity - 1;
    for (let id = 0; id < this.#size; id++) this.#place(id, this.lo(id), this.hi(id));
  }
}

/** A lane's view of the set; may lag behind. */
export class VisitedReader {
  readonly #slots: Int32Array;
  readonly #keys: Int32Array;

  constructor(memory: VisitedMemory) {
    this.#slots = new Int32Array(memory.slots);
    this.#keys = new Int32Array(memory.keys);
  }

  has(lo: number, hi: number): boolean {
    return find(this.#slots, this.#keys, this.#slots.length - 1, lo, hi) >= 0;
  }
}

function find(slots: Int32Array, keys: Int32Array, mask: number, lo: number, hi: number): number {
  let slot = home(lo, hi) & mask;
  for (;;) {
    const id = slots[slot]! - 1;
    if (id < 0) return -1;
    if (keys[2 * id] === lo && keys[2 * id + 1] === hi) return id;
    slot = (slot + 1) & mask;
  }
}

function home(lo: number, hi: number): number {
  return lo ^ Math.imul(hi, 0x9e3779b1);
}
