import type { LanePool } from "../lane-pool.ts";
import { INTERRUPTED_MS, LOOK_MS, type TimeLimit } from "./time-limit.ts";

export interface OnLane {
  readonly lanePool: Pick<LanePool, "cut">;
  readonly lane: number;
  readonly signal: AbortSignal | undefined;
  readonly limit: Pick<TimeLimit, "leftMs" | "allowanceMs">;
}

/**
 * Does work on a lane, and ends the lane's requests if they take too long. Otherwise, a hanging target would delay the run until its requests time
 * out. The requests may take the time that is left, or the allowance of the time limit if the allowance is longer. After an interruption, the
 * requests may take some seconds. The result contains `wasCut`: `true` if requests were ended, so that missing answers mean nothing.
 */
export async function withinTime<T>(
  { lanePool, lane, signal, limit }: OnLane,
  work: () => Promise<T>,
): Promise<{ readonly done: T; readonly wasCut: boolean }> {
  let wasCut = false;
  let endsAt = performance.now() + Math.max(limit.leftMs, limit.allowanceMs);
  const interrupted = (): void => void (endsAt = Math.min(endsAt, performance.now() + INTERRUPTED_MS));
  if (signal?.aborted === true) interrupted();
  signal?.addEventListener("abort", interrupted, { once: true });
  const timer = setInterval(() => {
    if (performance.now() < endsAt) return;
    wasCut = true;
    lanePool.cut?.(lane);
  }, LOOK_MS).unref();
  try {
    const done = await work();
    return { done, wasCut };
  } finally {
    clearInterval(timer);
    signal?.removeEventListener("abort", interrupted);
  }
}
