import { mix } from "../mix.ts";
import { HeapOrder } from "./heap-order.ts";
import { pop, push, type Heap } from "./leftist-heap.ts";
import type { Opened } from "./order.ts";

/** One pair, waiting in the heap of its class. */
interface Pair {
  readonly ref: number;
  readonly action: number;
  /** 0: the edge that opened its state brought something new; 1: it did not. */
  readonly stale: 0 | 1;
  readonly rank: number;
}

/** All pairs of one action from states of one shape. */
interface PairClass {
  readonly taken: number;
  readonly pairs: Heap<Pair> | undefined;
}

/** A class in the order of classes, as it was when it was put there; outdated ones are skipped. */
interface Candidate {
  readonly key: number;
  readonly taken: number;
  readonly pair: Pair;
}

const EMPTY: PairClass = { taken: 0, pairs: undefined };

/**
 * Least seen first: the pair whose action was committed least often from states of the same shape; among equals the one whose
 * parent edge brought a new (action, status, shape); among those by hash(seed, fingerprint, action).
 */
export class CoverageOrder extends HeapOrder<Candidate> {
  readonly #base: ReadonlyMap<number, PairClass> | undefined;
  readonly #classes: Map<number, PairClass> = new Map();
  readonly #left: Map<number, number> = new Map();
  readonly #baseLeft: ReadonlyMap<number, number> | undefined;

  constructor(actions: number, seed: number, base?: CoverageOrder) {
    super(actions, seed, base);
    this.#base = base === undefined ? undefined : base.#classes;
    this.#baseLeft = base === undefined ? undefined : base.#left;
  }

  protected next(): Candidate | undefined {
    while (this.heap !== undefined) {
      const candidate = this.heap.value;
      this.heap = pop(this.heap, candidateBefore);
      const known = this.#classOf(candidate.key);
      if (candidate.taken !== known.taken || candidate.pair !== known.pairs?.value) continue;
      this.#classes.set(candidate.key, { taken: known.taken, pairs: pop(known.pairs, pairBefore) });
      return candidate;
    }
    return undefined;
  }

  protected pairOf({ pair }: Candidate): Pair {
    return pair;
  }

  open(ref: number, opened: Opened): void {
    this.unfinished++;
    this.#left.set(ref, this.actions);
    const node = mix(mix(this.seed, opened.lo), opened.hi);
    for (let action = 0; action < this.actions; action++) {
      this.#put(mix(opened.shape, action) * this.actions + action, {
        ref,
        action,
        stale: opened.novel ? 0 : 1,
        rank: mix(node, action),
      });
    }
  }

  take(): void {
    const { key, pair } = this.current!;
    this.current = undefined;
    const known = this.#classOf(key);
    const updated = { taken: known.taken + 1, pairs: known.pairs };
    this.#classes.set(key, updated);
    this.#offer(key, updated);
    const left = (this.#left.get(pair.ref) ?? this.#baseLeft?.get(pair.ref) ?? 1) - 1;
    if (left > 0) this.#left.set(pair.ref, left);
    else {
      this.unfinished--;
      if (this.#base === undefined) this.#left.delete(pair.ref);
      else this.#left.set(pair.ref, 0);
    }
  }

  fork(): CoverageOrder {
    return new CoverageOrder(this.actions, this.seed, this);
  }

  *waiting(): Iterable<number> {
    yield* this.#left.keys();
  }

  #classOf(key: number): PairClass {
    return this.#classes.get(key) ?? this.#base?.get(key) ?? EMPTY;
  }

  #put(key: number, pair: Pair): void {
    const known = this.#classOf(key);
    const updated = { taken: known.taken, pairs: push(known.pairs, pair, pairBefore) };
    this.#classes.set(key, updated);
    if (updated.pairs.value === pair) this.#offer(key, updated);
  }

  #offer(key: number, known: PairClass): void {
    if (known.pairs === undefined) return;
    this.heap = push(this.heap, { key, taken: known.taken, pair: known.pairs.value }, candidateBefore);
  }
}

function pairBefore(a: Pair, b: Pair): boolean {
  return a.stale !== b.stale ? a.stale < b.stale : a.rank !== b.rank ? a.rank < b.rank : a.ref < b.ref;
}

function candidateBefore(a: Candidate, b: Candidate): boolean {
  if (a.taken !== b.taken) return a.taken < b.taken;
  return pairBefore(a.pair, b.pair);
}
