import type { LanePool } from "../lane-pool.ts";
import { INTERRUPTED_MS, LOOK_MS, type TimeLimit } from "./time-limit.ts";

export interface OnLane {
  readonly lanePool: Pick<LanePool, "cut">;
  readonly lane: number;
  readonly signal: AbortSignal | undefined;
  readonly limit: Pick<TimeLimit, "leftMs" | "allowanceMs">;
}

/**
 * Ends the requests of work on a lane that takes longer than what is left of the time (the allowance at least, for work that has begun), or that goes on some
 * seconds after an interruption: a target that hangs must not keep the run for as long as its timeouts. `wasCut`: they were ended, so that what the work says
 * of answers that did not come is not to be believed.
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
