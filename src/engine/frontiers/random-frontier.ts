import { mix } from "../graph/mix.ts";
import { HeapFrontier } from "./heap-frontier.ts";
import type { Opened } from "./frontier.ts";
import { HeapAhead, PackedHeap, type Packing } from "./packed-heap.ts";

/** A node with its next action. After this entry is taken, an entry with the node's following action is pushed. */
interface Entry {
  readonly rank: number;
  readonly ref: number;
  readonly action: number;
  readonly lo: number;
  readonly hi: number;
}

/**
 * Takes (state, action) pairs in the order of a hash of seed, fingerprint and action. The heap has one entry of 20 bytes for each node, which
 * contains the node's next action.
 */
export class RandomFrontier extends HeapFrontier<Entry> {
  readonly #heap: PackedHeap<Entry> = new PackedHeap(PACKING);
  /** The heap of a copy made by `fork`. In all other frontiers: `undefined`. */
  readonly #ahead: HeapAhead<Entry> | undefined;

  constructor(actions: number, seed: number, base?: RandomFrontier) {
    super(actions, seed, base);
    if (base !== undefined) this.#ahead = new HeapAhead(base.#heap, before);
  }

  protected next(): Entry | undefined {
    return (this.#ahead ?? this.#heap).pop();
  }

  protected pairOf(entry: Entry): Entry {
    return entry;
  }

  open(ref: number, opened: Opened): void {
    this.unfinished++;
    this.#push(ref, opened.lo, opened.hi, -1, -1);
  }

  take(): void {
    const { ref, lo, hi, rank, action } = this.current!;
    this.current = undefined;
    this.#push(ref, lo, hi, rank, action);
  }

  fork(): RandomFrontier {
    return new RandomFrontier(this.actions, this.seed, this);
  }

  *waiting(): Iterable<number> {
    if (this.current !== undefined) yield this.current.ref;
    for (const entry of this.#heap) yield entry.ref;
  }

  /**
   * Pushes a node with its next action: the first action after `action` (with hash `rank`) in the order of hashes. If no action is left, the node is
   * finished.
   */
  #push(ref: number, lo: number, hi: number, rank: number, action: number): void {
    let nextRank = Infinity;
    let next = -1;
    const node = mix(mix(this.seed, lo), hi);
    for (let a = 0; a < this.actions; a++) {
      const candidate = mix(node, a);
      const after = candidate > rank || (candidate === rank && a > action);
      if (after && candidate < nextRank) {
        nextRank = candidate;
        next = a;
      }
    }
    if (next < 0) this.unfinished--;
    else (this.#ahead ?? this.#heap).push({ rank: nextRank, ref, action: next, lo, hi });
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.rank !== b.rank ? a.rank < b.rank : a.lo !== b.lo ? a.lo < b.lo : a.hi < b.hi;
}

/**
 * Conversion of entries for the heap. The heap stores signed 32-bit integers, but ranks are unsigned, so ranks are converted when they are read.
 * Fingerprints are signed and need no conversion.
 */
const PACKING: Packing<Entry> = {
  width: 5,
  put(numbers, at, { rank, ref, action, lo, hi }) {
    numbers.set(at, rank);
    numbers.set(at + 1, ref);
    numbers.set(at + 2, action);
    numbers.set(at + 3, lo);
    numbers.set(at + 4, hi);
  },
  get: (numbers, at) => ({
    rank: numbers.at(at) >>> 0,
    ref: numbers.at(at + 1),
    action: numbers.at(at + 2),
    lo: numbers.at(at + 3),
    hi: numbers.at(at + 4),
  }),
  before(numbers, a, b) {
    const [one, other] = [numbers.at(a) >>> 0, numbers.at(b) >>> 0];
    if (one !== other) return one < other;
    const [lo, otherLo] = [numbers.at(a + 3), numbers.at(b + 3)];
    return lo !== otherLo ? lo < otherLo : numbers.at(a + 4) < numbers.at(b + 4);
  },
};
