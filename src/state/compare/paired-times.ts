import {
  FURTHEST_MS,
  momentOf,
  offsetFromStep,
  resolutionOf,
  sharedSeconds,
  zoneOf,
  type Moment,
  type StepWindow,
} from "../values/times.ts";
import type { Pair } from "./differing-pairs.ts";
import type { TimePlace } from "./knowledge.ts";
import { FEW_SECONDS_MS, hasResolution, knownOffset } from "./resolutions.ts";

/**
 * Two offsets at one place that differ by less than this number of milliseconds count as one offset that was observed after different steps of a
 * path.
 */
const SAME_OFFSET_MS = 3_600_000;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Compares the times that two executions wrote at one place. Returns how the times depend on their steps: either both have the same offset from their
 * steps, or the distance between the times equals the distance between the steps. Returns `undefined` for other times, and for values that are not
 * times.
 */
export function timeAt({ place, a, b }: Pair, windowA: StepWindow, windowB: StepWindow): TimePlace | undefined {
  const [x, y] = [momentOf(a), momentOf(b)];
  if (x === undefined || y === undefined || x.form !== y.form) return undefined;
  const resolutionMs = Math.min(resolutionOf(x), resolutionOf(y));
  const shared =
    resolutionMs === SECOND_MS
      ? sharedSeconds([
          [x, windowA],
          [y, windowB],
        ])
      : undefined;
  const own = offsetFromStep(x, windowA, resolutionMs);
  const offset = shared?.offset ?? own;
  const alike = shared !== undefined || own === offsetFromStep(y, windowB, resolutionMs);
  // Times without a fixed offset may depend on a time that an earlier step wrote. The difference between the two times then equals the difference
  // between the starts of the two steps.
  const apart = Math.abs(y.ms - x.ms - (windowB.startMs - windowA.startMs));
  // A number far from the present is not a time. For example, snowflake ids have as many digits as times in nanoseconds, and also grow over time.
  const isFar = ["us", "ns"].includes(x.form) && Math.abs(x.ms - windowA.startMs) > FURTHEST_MS;
  if (!alike && isFar) return undefined;
  if (!alike && apart > Math.max(1_000, windowA.endMs - windowA.startMs, windowB.endMs - windowB.startMs) + resolutionMs) return undefined;
  return { place, after: "", resolutionMs, base: alike ? "step" : "stored", offsets: alike && shared?.isOpen !== true ? [offset] : [] };
}

/**
 * Returns a time that the knowledge about its place does not explain, because it has a new resolution, or is far from its step and has no known
 * offset. Returns `undefined` for other times. An offset that differs only slightly from a known offset is not new: both executions show a stored
 * time again after later steps. For a time in whole seconds that the last step wrote, every offset is new that is only a few seconds, or that would
 * be mistaken for a known one.
 * @param isWritten `true` if the last step wrote the time.
 */
export function laterTime(
  pair: Pair,
  known: TimePlace,
  windows: readonly [StepWindow, StepWindow],
  isWritten: boolean,
): TimePlace | undefined {
  const time = timeAt(pair, ...windows);
  if (time !== undefined && !hasResolution(known, time.resolutionMs)) return time;
  const { offsets = [] } = known;
  const [offset] = time?.offsets ?? [];
  if (offset === undefined) return undefined;
  if (isWritten && time?.resolutionMs === SECOND_MS && !offsets.includes(offset)) {
    const isMistaken = [pair.a, pair.b].some((value, index) => knownOffset(momentOf(value)!, windows[index]!, known) !== undefined);
    if (isMistaken || (offset > 0 && offset <= FEW_SECONDS_MS)) return time;
  }
  return Math.abs(offset) > FURTHEST_MS && !offsets.some((one) => Math.abs(one - offset) < SAME_OFFSET_MS) ? time : undefined;
}

/**
 * Returns a time that its step may have truncated to a minute, an hour or a day; `undefined` for other times. Like constants, truncated times are
 * equal in all executions within one minute. Unlike constants, their distances from their steps are simple durations, for example 0 or 30 days.
 */
export function truncatedTime(place: string, moment: Moment, window: StepWindow): TimePlace | undefined {
  const resolutionMs = resolutionOf(moment);
  if (resolutionMs < MINUTE_MS) return undefined;
  const offset = offsetFromStep(moment, window, resolutionMs);
  const apartMs = Math.abs(offset - zoneOf(moment, window));
  const isSimple =
    apartMs <= DAY_MS ? apartMs <= resolutionMs || apartMs % (5 * MINUTE_MS) === 0 : resolutionMs === MINUTE_MS && apartMs % DAY_MS === 0;
  return isSimple ? { place, after: "", resolutionMs, base: "step", offsets: [offset] } : undefined;
}
