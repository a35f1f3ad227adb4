import { mix } from "../mix.ts";
import { HeapOrder } from "./heap-order.ts";
import { pop, push, values } from "./leftist-heap.ts";
import type { Opened } from "./order.ts";

/** The next pair of one node; its other pairs wait behind it. */
interface Entry {
  readonly rank: number;
  readonly ref: number;
  readonly action: number;
  readonly lo: number;
  readonly hi: number;
}

/** Pairs in the order of hash(seed, fingerprint, action). A node stands in the heap once, with the next of its pairs. */
export class RandomOrder extends HeapOrder<Entry> {
  protected next(): Entry | undefined {
    const top = this.heap;
    if (top !== undefined) this.heap = pop(top, before);
    return top?.value;
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

  fork(): RandomOrder {
    return new RandomOrder(this.actions, this.seed, this);
  }

  *waiting(): Iterable<number> {
    if (this.current !== undefined) yield this.current.ref;
    for (const entry of values(this.heap)) yield entry.ref;
  }

  /** Puts a node in with its first pair after (rank, action). */
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
    else this.heap = push(this.heap, { rank: nextRank, ref, action: next, lo, hi }, before);
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.rank !== b.rank ? a.rank < b.rank : a.lo !== b.lo ? a.lo < b.lo : a.hi < b.hi;
}
