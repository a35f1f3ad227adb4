import type { LanePool } from "../lane-pool.ts";
import type { LanePosts } from "./lane-posts.ts";
import type { Expansion } from "../../messages/lane-messages.ts";
import { LOOK_MS } from "./time-limit.ts";

/** Milliseconds for a lane to finish after its requests were ended. After that, the run no longer waits for the lane. */
const LEAVE_MS = 15_000;

/**
 * Waits until every lane has answered, also for lanes that are being rebuilt. Returns the lanes whose user code still waits for something else.
 * Requests in progress are ended after `graceMs`, so that a target that hangs does not delay the run. `Infinity`: only their timeouts end them.
 */
export async function drain(
  posts: LanePosts,
  lanePool: LanePool,
  graceMs: number,
  rebuilds: { has(lane: number): boolean },
): Promise<readonly number[]> {
  const cutAt = performance.now() + graceMs;
  const busy = (): number[] => posts.held.flatMap((held, lane) => (held > 0 ? [lane] : []));
  // The timer must not keep the process alive when user code waits for a promise that never settles.
  const timer = graceMs === Infinity ? undefined : setInterval(() => posts.wake(), LOOK_MS).unref();
  try {
    for (let left = busy(); left.length > 0; left = busy()) {
      const now = performance.now();
      // Requests are ended again each time, since a check may send its next request later.
      if (now >= cutAt) for (const lane of left) lanePool.cut?.(lane);
      // The lanes of an elastic pool end their requests themselves.
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
    message: `Lane ${lane} did not finish its work when the time was up`,
    differences: [],
    hint: "Check for an action or a rule that waits for something other than an answer of the target.",
  };
}
