import type { LanePool } from "../lane-pool.ts";
import type { Expansion } from "../../messages/lane-messages.ts";
import { LOOK_MS } from "./time-limit.ts";

/** Time in milliseconds that a lane gets to finish after its requests were ended. After this time, the run no longer waits for the lane. */
const LEAVE_MS = 15_000;

/** Counts the chunks that each lane holds. Wakes the search after the answer to a chunk was processed. */
export class LanePosts {
  readonly #held: number[];
  #wake: (() => void) | undefined;

  constructor(lanes: number) {
    this.#held = new Array<number>(lanes).fill(0);
  }

  get held(): readonly number[] {
    return this.#held;
  }

  get any(): boolean {
    return this.#held.some((chunks) => chunks > 0);
  }

  /** Counts a chunk for a lane until `taken` resolves. `taken` must resolve when the chunk's answer was processed, and must not reject. */
  add(lane: number, taken: Promise<void>): void {
    this.#held[lane]!++;
    void taken.finally(() => {
      this.#held[lane]!--;
      this.wake();
    });
  }

  /** Makes {@link wait} resolve. */
  wake(): void {
    this.#wake?.();
  }

  /** Resolves when the next answer was processed, or when {@link wake} is called. */
  wait(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }
}

/**
 * Waits until all lanes have answered and are rebuilt. Returns the lanes that did not answer, because their user code waits for something other than
 * a request. After `graceMs` milliseconds, ends requests in progress, so that a hanging target does not delay the run. If `graceMs` is `Infinity`,
 * requests only end by their timeouts.
 */
export async function drain(
  posts: LanePosts,
  lanePool: LanePool,
  graceMs: number,
  rebuilds: { has(lane: number): boolean },
): Promise<readonly number[]> {
  const cutAt = performance.now() + graceMs;
  const busy = (): number[] => posts.held.flatMap((held, lane) => (held > 0 ? [lane] : []));
  // `unref` lets the process end although user code may wait for a promise that never settles.
  const timer = graceMs === Infinity ? undefined : setInterval(() => posts.wake(), LOOK_MS).unref();
  try {
    for (let left = busy(); left.length > 0; left = busy()) {
      const now = performance.now();
      // Requests are ended in each round, because a check may send another request after its previous request was ended.
      if (now >= cutAt) for (const lane of left) lanePool.cut?.(lane);
      // Lanes of other processes (an elastic pool) end their requests themselves.
      if (!lanePool.capacity.isElastic && now >= cutAt + LEAVE_MS && !left.some((lane) => rebuilds.has(lane))) return left;
      await posts.wait();
    }
    return [];
  } finally {
    clearInterval(timer);
  }
}

export function stuckLane(lane: number): Expansion["divergences"][number] {
  return {
    kind: "lane",
    path: [],
    message: `Lane ${lane} had not finished its work at the end of the run's time`,
    differences: [],
    hint: "Look for an action or a rule that waits for something other than an answer of the target, such as a timer.",
  };
}
