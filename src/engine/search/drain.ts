import type { LanePool } from "../lane-pool.ts";
import type { LanePosts } from "./lane-posts.ts";
import type { Expansion } from "../../messages/lane-messages.ts";
import { LOOK_MS } from "./time-limit.ts";

/** Milliseconds that a lane is given to come back once its requests were ended; then it is left. */
const LEAVE_MS = 15_000;

/**
 * Waits until every lane has answered. `graceMs`: how long requests in progress may take; `Infinity`: as long as their timeouts say. Requests that take longer than the grace are ended, so that a target that hangs does not keep the run for as
 * long as its timeouts; a lane that is being built anew is waited for. Returns the lanes that did not come back even then: their user code waits for something else.
 */
export async function drain(
  posts: LanePosts,
  lanePool: LanePool,
  graceMs: number,
  rebuilds: { has(lane: number): boolean },
): Promise<readonly number[]> {
  const cutAt = performance.now() + graceMs;
  const busy = (): number[] => posts.held.flatMap((held, lane) => (held > 0 ? [lane] : []));
  // Where user code waits for nothing that could come, this is not what keeps the process.
  const timer = graceMs === Infinity ? undefined : setInterval(() => posts.wake(), LOOK_MS).unref();
  try {
    for (let left = busy(); left.length > 0; left = busy()) {
      const now = performance.now();
      // Again at each look: a check may send its next request after that.
      if (now >= cutAt) for (const lane of left) lanePool.cut?.(lane);
      // Lanes elsewhere end their requests by themselves.
      if (lanePool.remote === undefined && now >= cutAt + LEAVE_MS && !left.some((lane) => rebuilds.has(lane))) return left;
      await posts.wait();
    }
    return [];
  } finally {
    clearInterval(timer);
  }
}

/** The divergence of a lane that did not come back. */
export function stuckLane(lane: number): Expansion["divergences"][number] {
  return {
    kind: "lane",
    path: [],
    message: `Lane ${lane} did not come back when the time was up`,
    differences: [],
    hint: "Look for an action or a check that waits for something other than an answer of the target.",
  };
}
