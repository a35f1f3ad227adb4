import type { FrontierQueue } from "../frontiers/index.ts";

interface Segment {
  from: number;
  to: number;
}

/**
 * Divides the waiting nodes of a queue among lanes. Each lane gets a range of consecutive nodes, because the paths to such nodes have long common
 * beginnings. A lane without nodes gets a share of the nodes that belong to no lane, or half of the longest range of another lane.
 */
export class Segments {
  readonly #queue: FrontierQueue;
  readonly #segments: Segment[];
  /** The position of the first node in the queue that was not given to a lane yet. */
  #next = 0;

  constructor(queue: FrontierQueue, lanes: number) {
    this.#queue = queue;
    this.#segments = Array.from({ length: lanes }, () => ({ from: 0, to: 0 }));
  }

  /** Returns the number of waiting nodes before the position `limit`, whether they belong to a lane or not. */
  waiting(limit: number): number {
    const rest = this.#segments.reduce((sum, segment) => sum + (segment.to - segment.from), 0);
    return rest + Math.max(Math.min(this.#queue.end, limit) - this.#next, 0);
  }

  /**
   * Returns the position of a lane's next node, or -1 if there is none. Positions from `limit` on are not used. `sharers`: the number of lanes that
   * take work now. Default: all lanes.
   */
  take(lane: number, limit: number, sharers: number = this.#segments.length): number {
    const own = this.#segments[lane]!;
    if (own.from >= own.to && !this.#refill(own, limit, sharers)) return -1;
    return own.from++;
  }

  /** Continues at a later position, because other code has dispatched the nodes before that position. */
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
