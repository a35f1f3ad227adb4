import { fittingOffset, offsetFromStep, resolutionOf, sharedSeconds, type Moment, type StepWindow } from "../values/times.ts";
import type { TimePlace } from "./knowledge.ts";

type Resolutions = Pick<TimePlace, "resolutionMs" | "coarserMs">;

/** Returns the coarsest resolution of the values at a place, in milliseconds. */
export function coarsestOf({ resolutionMs, coarserMs }: Resolutions): number {
  return coarserMs?.at(-1) ?? resolutionMs;
}

export function hasResolution({ resolutionMs, coarserMs = [] }: Resolutions, ms: number): boolean {
  return resolutionMs === ms || coarserMs.includes(ms);
}

/** The longest lifetime in whole seconds during which the second in which a step runs matters; see {@link isWithinSeconds}. */
export const FEW_SECONDS_MS: number = 5_000;

/**
 * Returns `true` if steps write times in whole seconds to a place that are only a few seconds ahead, or whose offsets are a second apart. If such a
 * step runs across the end of a second, the time does not show its offset. If it runs at the end of a second, a lifetime of 1 s is over at once.
 */
export function isWithinSeconds(place: TimePlace): boolean {
  const { offsets = [] } = place;
  const isClose = (offset: number): boolean => (offset > 0 && offset <= FEW_SECONDS_MS) || offsets.includes(offset + 1_000);
  return hasResolution(place, 1_000) && offsets.some((offset) => offset % 1_000 === 0 && isClose(offset));
}

/** The distance of a time from its step. */
export interface StepOffset {
  readonly offset: number;
  /** The resolution of the time in milliseconds. */
  readonly resolutionMs: number;
  /** `true` if experiments showed this offset at the place of the time. */
  readonly isKnown: boolean;
}

/**
 * Returns the distance of a time from its step. If values of several resolutions occur at the place, only the resolutions that fit the value are
 * considered: for example, whole seconds must be multiples of 1,000 ms. Of these, the finest resolution with a known offset is chosen, because a
 * precise time may be a whole second by chance.
 */
export function stepOffset(moment: Moment, window: StepWindow, place: TimePlace): StepOffset {
  const known = knownOffset(moment, window, place);
  if (known !== undefined) return known;
  const resolutionMs = resolutionsOf(moment, place).at(-1)!;
  // Steps that write such times run at the beginning of a second, where dropping the fraction and rounding have the same result.
  const exact = resolutionMs === 1_000 && isWithinSeconds(place) ? sharedSeconds([[moment, window]]) : undefined;
  return { offset: exact?.offset ?? offsetFromStep(moment, window, resolutionMs), resolutionMs, isKnown: false };
}

/** Returns the distance of a time from its step if experiments showed this distance at the place; otherwise `undefined`. */
export function knownOffset(moment: Moment, window: StepWindow, place: TimePlace): StepOffset | undefined {
  const { offsets = [] } = place;
  for (const resolutionMs of resolutionsOf(moment, place)) {
    const offset = fittingOffset(offsets, moment, window, resolutionMs);
    if (offset !== undefined) return { offset, resolutionMs, isKnown: true };
  }
  return undefined;
}

/** Returns the resolutions of the place that a time may have, in ascending order. */
function resolutionsOf(moment: Moment, { resolutionMs, coarserMs }: Resolutions): readonly number[] {
  if (coarserMs === undefined) return [resolutionMs];
  const own = resolutionOf(moment);
  return [resolutionMs, ...coarserMs.filter((one) => own % one === 0)];
}
