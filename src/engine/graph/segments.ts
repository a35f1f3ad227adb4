import type { FrontierQueue } from "../frontiers/index.ts";

interface Segment {
  from: number;
  to: number;
}

/**
 * Divides the waiting part of a queue among lanes. Each lane gets a contiguous segment, because the paths of consecutive nodes have long common
 * prefixes. A lane without nodes takes its share of the new ones, or half of the largest remaining segment.
 */
export class Segments {
  readonly #queue: FrontierQueue;
  readonly #segments: Segment[];
  /** The first position that belongs to no segment. */
  #next = 0;

  constructor(queue: FrontierQueue, lanes: number) {
    this.#queue = queue;
    this.#segments = Array.from({ length: lanes }, () => ({ from: 0, to: 0 }));
  }

  /** Returns the number of waiting positions before `limit`, in segments or new. */
  waiting(limit: number): number {
    const rest = this.#segments.reduce((sum, segment) => sum + (segment.to - segment.from), 0);
    return rest + Math.max(Math.min(this.#queue.end, limit) - this.#next, 0);
  }

  /**
   * Returns the next position for a lane, or -1. Positions from `limit` on are not given out. `sharers`: number of lanes that take work now; default:
   * all.
   */
  take(lane: number, limit: number, sharers: number = this.#segments.length): number {
    const own = this.#segments[lane]!;
    if (own.from >= own.to && !this.#refill(own, limit, sharers)) return -1;
    return own.from++;
  }

  /** Skips positions that were dispatched in another way. */
  skipTo(position: number): void {
    this.#next = Math.max(this.#next, position);
  }

  #refill(own: Segment, limit: number, sharers: number): boolean {
    const fresh = Math.min(this.#queue.end, limit) - this.#next;
    if (fresh > 0) {
      own.from = this.#next;
      own.to = this.#next + Math.ceil(fresh / sharers);
      this.#next = own.to;
      return true;
    }
    const largest = this.#segments.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a));
    const rest = largest.to - largest.from;
    if (rest === 0) return false;
    own.to = largest.to;
    own.from = largest.to - Math.ceil(rest / 2);
    largest.to = own.from;
    return true;
  }
}
