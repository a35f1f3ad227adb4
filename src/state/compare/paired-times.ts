import { FURTHEST_MS, momentOf, offsetFromStep, resolutionOf, type StepWindow } from "../values/times.ts";
import type { Pair } from "./differing-pairs.ts";
import type { TimePlace } from "./knowledge.ts";

/** Two offsets of one place that differ by less than this number of milliseconds count as one offset, observed after different steps of a path. */
const SAME_OFFSET_MS = 3_600_000;

/**
 * Compares the times that two executions wrote at one place. Returns how the times depend on their steps: both have the same offset from their steps,
 * or the distance between the times equals the distance between the steps. `undefined` for other times, and for values that are no times.
 */
export function timeAt({ place, a, b }: Pair, windowA: StepWindow, windowB: StepWindow): TimePlace | undefined {
  const [x, y] = [momentOf(a), momentOf(b)];
  if (x === undefined || y === undefined || x.form !== y.form) return undefined;
  const resolutionMs = Math.min(resolutionOf(x), resolutionOf(y));
  const offset = offsetFromStep(x, windowA, resolutionMs);
  const alike = offset === offsetFromStep(y, windowB, resolutionMs);
  // Times without a fixed offset may depend on a time that an earlier step wrote. The difference between the two times then equals the difference
  // between the starts of the two steps.
  const apart = Math.abs(y.ms - x.ms - (windowB.startMs - windowA.startMs));
  // A number far from the present is no time: snowflake ids have as many digits as times in nanoseconds, and grow with the time, too.
  const isFar = ["us", "ns"].includes(x.form) && Math.abs(x.ms - windowA.startMs) > FURTHEST_MS;
  if (!alike && isFar) return undefined;
  if (!alike && apart > Math.max(1_000, windowA.endMs - windowA.startMs, windowB.endMs - windowB.startMs) + resolutionMs) return undefined;
  return { place, after: "", resolutionMs, base: alike ? "step" : "stored", offsets: alike ? [offset] : [] };
}

/**
 * Returns a time at a known place that is far from its step and that no known offset explains; `undefined` for other times. After later steps, both
 * executions show such a time again with a slightly different offset, which does not count as a new offset.
 */
export function laterTime(pair: Pair, { offsets = [] }: TimePlace, [a, b]: readonly [StepWindow, StepWindow]): TimePlace | undefined {
  const time = timeAt(pair, a, b);
  const [offset = 0] = time?.offsets ?? [];
  return Math.abs(offset) > FURTHEST_MS && !offsets.some((one) => Math.abs(one - offset) < SAME_OFFSET_MS) ? time : undefined;
}
