import { mix } from "./mix.ts";
import { Paged } from "./paged.ts";

/** The buffers of a {@link VisitedSet} that were replaced because the set grew. Each buffer has its index. */
export interface VisitedGrowth {
  /** The version of the set to which these buffers belong; see {@link VisitedSet.growth}. */
  readonly version: number;
  /** Number of parts of the set. Each part has a hash table of its own. */
  readonly parts: number;
  readonly tables: readonly (readonly [part: number, table: SharedArrayBuffer])[];
  readonly keys: readonly (readonly [page: number, keys: SharedArrayBuffer])[];
}

/** Number of states from which the set is divided into {@link PARTS} parts. A smaller set has a single part. */
const ONE_PART = 1 << 16;
/** Number of parts of a set with at least {@link ONE_PART} states. */
const PARTS = 1 << 8;
/** Largest share of used slots in a hash table. Lookups in a fuller table would be slow. */
const MOST_FULL = 0.82;
/** Factor by which a part grows if the set has many parts. A single part doubles. */
const GROWTH = 1.2;
/** The golden ratio minus 1. Multiples of this number have fractional parts that are spread evenly between 0 and 1. */
const GOLDEN = 0.618034;
const PAGE_BITS = 16;
const PAGE = 1 << PAGE_BITS;
const PAGE_MASK = PAGE - 1;
/** Initial size of the set, as a number of states. */
const LEAST = 1 << 10;

interface Part {
  /**
   * The hash table of a part. Its first value is a mask for the bits of a slot that hold a state's number plus 1. All other values are slots. An
   * empty slot is 0.
   */
  readonly table: Int32Array;
  /** The part grows before it holds more states than this number. */
  readonly most: number;
  size: number;
  /** The version of the set in which the part got this table; see {@link VisitedGrowth}. */
  readonly version: number;
}

/**
 * The set of committed states: a hash table with open addressing over 64-bit fingerprints. States are numbered 0, 1, 2, ... in the order in which
 * they are added. Only the main thread writes. Lanes read the set through shared memory, to leave out the snapshots of known states. A lane that
 * reads an outdated value only sends an unnecessary snapshot.
 *
 * Fingerprints are stored in pages, and full pages are never moved. The table of a large set has 256 parts, and the hash of a state selects its part.
 * A full part grows by a fifth. The parts begin with different amounts of free room, so that they never grow at the same time and pauses are short. A
 * slot of 32 bits holds the state's number and, in the remaining bits, a tag, which is another hash of the fingerprint. Because of the tag,
 * fingerprints of different states are hardly ever compared.
 *
 * Each state takes 8 bytes of fingerprint, 2 bytes of second hash, and 4.9 to 5.9 bytes of table, since parts are filled to between 68 and 82 %. Two
 * states with equal fingerprints count as one state. The result contains the probability of such a collision, and {@link VisitedSet.differs} detects
 * nearly all collisions.
 */
export class VisitedSet {
  #parts: Part[];
  readonly #keys: Int32Array[];
  readonly #keyVersions: number[] = [0];
  readonly #checks: Paged<Uint16Array> = new Paged(Uint16Array);
  #size = 0;
  #version = 0;

  constructor() {
    this.#parts = [partOf(LEAST, 0, 0)];
    this.#keys = [new Int32Array(new SharedArrayBuffer(LEAST * 8))];
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    const sum = (list: readonly Int32Array[]): number => list.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
    return sum(this.#parts.map(({ table }) => table)) + sum(this.#keys) + this.#checks.bytes;
  }

  /**
   * Returns the buffers that were replaced since a version of the set, or all buffers for version -1. Returns `undefined` if no buffer was replaced.
   */
  growth(since: number): VisitedGrowth | undefined {
    if (since === this.#version) return undefined;
    return {
      version: this.#version,
      parts: this.#parts.length,
      tables: this.#parts.flatMap(({ table, version }, part) =>
        version > since ? [[part, table.buffer as SharedArrayBuffer] as const] : [],
      ),
      keys: this.#keys.flatMap((keys, page) =>
        this.#keyVersions[page]! > since ? [[page, keys.buffer as SharedArrayBuffer] as const] : [],
      ),
    };
  }

  find(lo: number, hi: number): number {
    const hash = mix(lo, hi);
    return find(this.#parts[this.#parts.length === 1 ? 0 : hash >>> 24]!.table, this.#keys, hash, lo, hi);
  }

  /** Adds a state that is not in the set, and returns the state's number. `check`: a second hash of 16 bits, or 0 without one. */
  add(lo: number, hi: number, check: number = 0): number {
    const id = this.#size;
    const page = id >>> PAGE_BITS;
    if (page === this.#keys.length || (id & PAGE_MASK) * 2 >= this.#keys[page]!.length) this.#growKeys(page);
    const keys = this.#keys[page]!;
    const at = 2 * (id & PAGE_MASK);
    keys[at] = lo;
    keys[at + 1] = hi;
    this.#checks.set(id, check);
    if (id === ONE_PART) this.#divide();
    const hash = mix(lo, hi);
    const index = this.#parts.length === 1 ? 0 : hash >>> 24;
    let part = this.#parts[index]!;
    if (part.size >= part.most || id >= part.table[0]!) part = this.#growPart(index);
    put(part, hash, lo, hi, id);
    this.#size = id + 1;
    return id;
  }

  lo(id: number): number {
    return this.#keys[id >>> PAGE_BITS]![2 * (id & PAGE_MASK)]!;
  }

  hi(id: number): number {
    return this.#keys[id >>> PAGE_BITS]![2 * (id & PAGE_MASK) + 1]!;
  }

  /** Returns the second hash of a state, or 0 without one. */
  check(id: number): number {
    return this.#checks.at(id);
  }

  /**
   * Returns `true` if the second hash shows that two different states have the same fingerprint. If the known state has no second hash yet, stores
   * `check` as its second hash.
   */
  differs(id: number, check: number): boolean {
    if (check === 0) return false;
    const known = this.#checks.at(id);
    if (known === 0) this.#checks.set(id, check);
    return known !== 0 && known !== check;
  }

  #growKeys(page: number): void {
    const first = this.#keys[page];
    const grown = new Int32Array(new SharedArrayBuffer((first === undefined ? PAGE : first.length) * 8));
    if (first !== undefined) grown.set(first);
    this.#keys[page] = grown;
    this.#keyVersions[page] = ++this.#version;
  }

  #growPart(index: number): Part {
    const { table, most } = this.#parts[index]!;
    const part = partOf(most * (this.#parts.length === 1 ? 2 : GROWTH) + 1, this.#size, ++this.#version);
    const idMask = table[0]!;
    for (let slot = 1; slot < table.length; slot++) if (table[slot] !== 0) this.#putAgain(part, (table[slot]! & idMask) - 1);
    return (this.#parts[index] = part);
  }

  /** Divides the single part into many parts. Each part gets a different amount of free room, so that no two parts grow at the same time. */
  #divide(): void {
    const sizes = new Int32Array(PARTS);
    for (let id = 0; id < this.#size; id++) sizes[mix(this.lo(id), this.hi(id)) >>> 24]!++;
    this.#version++;
    this.#parts = Array.from(sizes, (size, part) => partOf(size * GROWTH ** (0.1 + ((part * GOLDEN) % 1)), this.#size, this.#version));
    for (let id = 0; id < this.#size; id++) this.#putAgain(this.#parts[mix(this.lo(id), this.hi(id)) >>> 24]!, id);
  }

  #putAgain(part: Part, id: number): void {
    const [lo, hi] = [this.lo(id), this.hi(id)];
    put(part, mix(lo, hi), lo, hi, id);
  }
}

/** A lane's view of the set, which may be outdated. */
export class VisitedReader {
  readonly #tables: Int32Array[] = [];
  readonly #keys: Int32Array[] = [];

  /** Replaces the buffers of parts that have grown. The first call must pass all buffers. */
  grow({ parts, tables, keys }: VisitedGrowth): void {
    this.#tables.length = parts;
    for (const [part, table] of tables) this.#tables[part] = new Int32Array(table);
    for (const [page, list] of keys) this.#keys[page] = new Int32Array(list);
  }

  has(lo: number, hi: number): boolean {
    const hash = mix(lo, hi);
    const table = this.#tables[this.#tables.length === 1 ? 0 : hash >>> 24];
    return table !== undefined && find(table, this.#keys, hash, lo, hi) >= 0;
  }
}

/** Creates a part with room for `most` states. `states`: the number of states in the whole set at present. */
function partOf(most: number, states: number, version: number): Part {
  const slots = Math.ceil(most / MOST_FULL) + 1;
  const table = new Int32Array(new SharedArrayBuffer((slots + 1) * 4));
  // Number of bits for a state's number in a slot. The part grows before a state's number needs more bits.
  const bits = Math.min(32 - Math.clz32(Math.max(2 * states, most) + 1), 31);
  table[0] = 2 ** bits - 1;
  return { table, most: Math.floor(most), size: 0, version };
}

function put(part: Part, hash: number, lo: number, hi: number, id: number): void {
  const { table } = part;
  let slot = home(table, hash);
  while (table[slot] !== 0) slot = after(table, slot);
  table[slot] = (tagOf(lo, hi) & ~table[0]!) | (id + 1);
  part.size++;
}

function find(table: Int32Array, keys: readonly Int32Array[], hash: number, lo: number, hi: number): number {
  const idMask = table[0]!;
  const tag = tagOf(lo, hi) & ~idMask;
  for (let slot = home(table, hash); ; slot = after(table, slot)) {
    const value = table[slot]!;
    if (value === 0) return -1;
    if ((value & ~idMask) !== tag) continue;
    const id = (value & idMask) - 1;
    // A lane with outdated buffers may not have received this page of fingerprints yet.
    const page = keys[id >>> PAGE_BITS];
    const at = 2 * (id & PAGE_MASK);
    if (page !== undefined && page[at] === lo && page[at + 1] === hi) return id;
  }
}

/**
 * Returns the slot at which the search for a hash begins. The low 24 bits of the hash are scaled to the number of slots, since the high 8 bits select
 * the part.
 */
function home(table: Int32Array, hash: number): number {
  return 1 + Math.trunc(((hash & 0xffffff) * (table.length - 1)) / 0x1000000);
}

function after(table: Int32Array, slot: number): number {
  return slot + 1 === table.length ? 1 : slot + 1;
}

/** Returns the tag of a fingerprint for the slots of the table. The tag is nearly independent of the hash that selects the slot. */
function tagOf(lo: number, hi: number): number {
  return Math.imul(lo ^ (hi << 16) ^ (hi >>> 16), 0x9e3779b1);
}
