import type { Progress } from "../../engine/events.ts";

/** The milliseconds over which the rate is measured: before that it is meaningless. */
const MEANINGFUL = 3000;

/**
 * Returns the milliseconds until a budget is used up, at the rate of the last seconds; `undefined` before there is a rate. It is an upper bound:
 * there may be less to explore than the budget allows.
 */
export function timeLeft({ elapsedMs, steps, stepsPerSecond, maxSteps, maxTimeMs }: Progress): number | undefined {
  if (elapsedMs < MEANINGFUL) return undefined;
  const bySteps = stepsPerSecond > 0 ? (Math.max(0, maxSteps - steps) / stepsPerSecond) * 1000 : Infinity;
  const byTime = maxTimeMs === null ? Infinity : Math.max(0, maxTimeMs - elapsedMs);
  const left = Math.min(bySteps, byTime);
  return Number.isFinite(left) ? left : undefined;
}
