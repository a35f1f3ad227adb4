import { mix } from "../graph/mix.ts";
import { Paged } from "../graph/paged.ts";
import { HeapFrontier } from "./heap-frontier.ts";
import { pop, push, type Heap } from "./leftist-heap.ts";
import type { Opened } from "./frontier.ts";
import { HeapAhead, PackedHeap, type Packing } from "./packed-heap.ts";

/** A waiting (state, action) pair. The {@link PairClass} of the pair determines the action. */
interface Pair {
  readonly ref: number;
  /** 0 if the edge that led to the state had a new combination of action, status and state structure, else 1. */
  readonly stale: number;
  readonly rank: number;
}

/** All waiting pairs that have the same action and whose states have the same shape (structure). Each pair takes 12 bytes. */
interface PairClass {
  taken: number;
  readonly pairs: PackedHeap<Pair> | HeapAhead<Pair>;
}

/**
 * An entry in the heap of classes, with the class's data at the time when the entry was pushed. An entry is skipped if its class has changed since.
 */
interface Candidate {
  readonly key: number;
  readonly taken: number;
  readonly pair: Pair;
}

/**
 * Takes the (state, action) pair whose action was committed least often in states of the same shape (structure). Among equal pairs, prefers states
 * whose edge had a new combination of action, status and shape. If pairs are still equal, the lowest hash of seed, fingerprint and action decides.
 */
export class CoverageFrontier extends HeapFrontier<Candidate> {
  readonly #base: CoverageFrontier | undefined;
  /** All classes of pairs. In a copy made by `fork`: only the classes that the copy has read or changed. */
  readonly #classes: Map<number, PairClass> = new Map();
  /** For each node: the number of its actions that were not taken yet. */
  readonly #left: Paged<Uint16Array> = new Paged(Uint16Array);
  /** In a copy made by `fork`: the number of actions that were not taken yet, for each node that the copy has changed. */
  readonly #leftAhead: Map<number, number> = new Map();
  /** The highest node number so far, plus 1. */
  #nodes = 0;
  #heap: Heap<Candidate> | undefined;

  constructor(actions: number, seed: number, base?: CoverageFrontier) {
    super(actions, seed, base);
    this.#base = base;
    if (base !== undefined) this.#heap = base.#heap;
  }

  protected next(): Candidate | undefined {
    while (this.#heap !== undefined) {
      const candidate = this.#heap.value;
      this.#heap = pop(this.#heap, candidateBefore);
      const known = this.#classOf(candidate.key);
      if (candidate.taken !== known.taken || !isSame(candidate.pair, firstOf(known))) continue;
      known.pairs.pop();
      return candidate;
    }
    return undefined;
  }

  protected pairOf({ key, pair }: Candidate): { readonly ref: number; readonly action: number } {
    return { ref: pair.ref, action: key % this.actions };
  }

  open(ref: number, opened: Opened): void {
    this.unfinished++;
    this.#setLeft(ref, this.actions);
    const node = mix(mix(this.seed, opened.lo), opened.hi);
    for (let action = 0; action < this.actions; action++) {
      this.#put(mix(opened.shape, action) * this.actions + action, { ref, stale: opened.novel ? 0 : 1, rank: mix(node, action) });
    }
  }

  take(): void {
    const { key, pair } = this.current!;
    this.current = undefined;
    const known = this.#classOf(key);
    known.taken++;
    this.#offer(key, known);
    const left = Math.max(this.#leftOf(pair.ref) - 1, 0);
    this.#setLeft(pair.ref, left);
    if (left === 0) this.unfinished--;
  }

  fork(): CoverageFrontier {
    return new CoverageFrontier(this.actions, this.seed, this);
  }

  *waiting(): Iterable<number> {
    for (let node = 0; node < this.#nodes; node++) if (this.#left.atOr0(node) > 0) yield node;
  }

  #leftOf(ref: number): number {
    return this.#base === undefined ? this.#left.at(ref) : (this.#leftAhead.get(ref) ?? this.#base.#left.at(ref));
  }

  #setLeft(ref: number, left: number): void {
    if (this.#base !== undefined) this.#leftAhead.set(ref, left);
    else {
      this.#left.set(ref, left);
      this.#nodes = Math.max(this.#nodes, ref + 1);
    }
  }

  #classOf(key: number): PairClass {
    let known = this.#classes.get(key);
    if (known === undefined) {
      const below = this.#base === undefined ? undefined : this.#base.#classes.get(key);
      const pairs =
        this.#base === undefined ? new PackedHeap(PACKING) : new HeapAhead(below?.pairs as PackedHeap<Pair> | undefined, pairBefore);
      this.#classes.set(key, (known = { taken: below?.taken ?? 0, pairs }));
    }
    return known;
  }

  #put(key: number, pair: Pair): void {
    const known = this.#classOf(key);
    known.pairs.push(pair);
    if (isSame(pair, firstOf(known))) this.#offer(key, known);
  }

  #offer(key: number, known: PairClass): void {
    const pair = firstOf(known);
    if (pair !== undefined) this.#heap = push(this.#heap, { key, taken: known.taken, pair }, candidateBefore);
  }
}

const firstOf = ({ pairs }: PairClass): Pair | undefined => (pairs instanceof PackedHeap ? pairs.at(0) : pairs.first);

const isSame = (a: Pair, b: Pair | undefined): boolean => a.ref === b?.ref && a.stale === b.stale;

function pairBefore(a: Pair, b: Pair): boolean {
  return a.stale !== b.stale ? a.stale < b.stale : a.rank !== b.rank ? a.rank < b.rank : a.ref < b.ref;
}

function candidateBefore(a: Candidate, b: Candidate): boolean {
  if (a.taken !== b.taken) return a.taken < b.taken;
  return pairBefore(a.pair, b.pair);
}

/** Conversion of pairs for the heap. The heap stores signed 32-bit integers, but ranks are unsigned, so ranks are converted when they are read. */
const PACKING: Packing<Pair> = {
  width: 3,
  put(numbers, at, { ref, stale, rank }) {
    numbers.set(at, stale);
    numbers.set(at + 1, rank);
    numbers.set(at + 2, ref);
  },
  get: (numbers, at) => ({ stale: numbers.at(at), rank: numbers.at(at + 1) >>> 0, ref: numbers.at(at + 2) }),
  before(numbers, a, b) {
    const [stale, otherStale] = [numbers.at(a), numbers.at(b)];
    if (stale !== otherStale) return stale < otherStale;
    const [rank, otherRank] = [numbers.at(a + 1) >>> 0, numbers.at(b + 1) >>> 0];
    return rank !== otherRank ? rank < otherRank : numbers.at(a + 2) < numbers.at(b + 2);
  },
};
