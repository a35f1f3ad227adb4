import { mix } from "../mix.ts";
import { pop, push, values, type Heap } from "./leftist-heap.ts";
import type { Opened, Order } from "./order.ts";

/** The next pair of one node; its other pairs wait behind it. */
interface Entry {
  readonly rank: number;
  readonly ref: number;
  readonly action: number;
  readonly lo: number;
  readonly hi: number;
}

/** Pairs in the order of hash(seed, fingerprint, action). A node stands in the heap once, with the next of its pairs. */
export class RandomOrder implements Order {
  readonly nodewise = false;
  ref = -1;
  action = 0;
  readonly #actions: number;
  readonly #seed: number;
  #heap: Heap<Entry> | undefined;
  #current: Entry | undefined;
  #size = 0;

  constructor(actions: number, seed: number, base?: RandomOrder) {
    this.#actions = actions;
    this.#seed = seed;
    if (base === undefined) return;
    this.#heap = base.#heap;
    this.#current = base.#current;
    this.#size = base.#size;
    this.ref = base.ref;
    this.action = base.action;
  }

  get size(): number {
    return this.#size;
  }

  peek(): boolean {
    if (this.#current === undefined) {
      if (this.#heap === undefined) return false;
      this.#current = this.#heap.value;
      this.#heap = pop(this.#heap, before);
    }
    this.ref = this.#current.ref;
    this.action = this.#current.action;
    return true;
  }

  open(ref: number, opened: Opened): void {
    this.#size++;
    this.#push(ref, opened.lo, opened.hi, -1, -1);
  }

  take(): void {
    const { ref, lo, hi, rank, action } = this.#current!;
    this.#current = undefined;
    this.#push(ref, lo, hi, rank, action);
  }

  fork(): RandomOrder {
    return new RandomOrder(this.#actions, this.#seed, this);
  }

  *waiting(): Iterable<number> {
    if (this.#current !== undefined) yield this.#current.ref;
    for (const entry of values(this.#heap)) yield entry.ref;
  }

  /** Puts a node in with its first pair after (rank, action). */
  #push(ref: number, lo: number, hi: number, rank: number, action: number): void {
    let nextRank = Infinity;
    let next = -1;
    const node = mix(mix(this.#seed, lo), hi);
    for (let a = 0; a < this.#actions; a++) {
      const candidate = mix(node, a);
      const after = candidate > rank || (candidate === rank && a > action);
      if (after && candidate < nextRank) {
        nextRank = candidate;
        next = a;
      }
    }
    if (next < 0) this.#size--;
    else this.#heap = push(this.#heap, { rank: nextRank, ref, action: next, lo, hi }, before);
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.rank !== b.rank ? a.rank < b.rank : a.lo !== b.lo ? a.lo < b.lo : a.hi < b.hi;
}
