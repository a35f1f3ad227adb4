import { resolutionOf, sharedSeconds } from "../values/times.ts";
import type { Execution } from "./compare-executions.ts";
import { momentKey, momentsOf } from "./moments.ts";

/** The longest distance from its step at which a single second matters, in milliseconds. */
const NEAR_MS = 60_000;

/**
 * Returns the index of the first step of a path that wrote a time in whole seconds near to the present, if the time does not show its offset: it may
 * have been rounded up. An execution of the step at the beginning of a second shows the offset. Returns -1 if there is no such step.
 */
export function openSeconds(path: readonly Execution[]): number {
  return path.findIndex(({ facts, window }, index) => {
    const before = new Set(index === 0 ? [] : momentsOf(path[index - 1]!.facts).map(momentKey));
    return momentsOf(facts).some((one) => {
      const { moment } = one;
      if (Math.abs(moment.ms - window.endMs) > NEAR_MS || resolutionOf(moment) !== 1_000 || before.has(momentKey(one))) return false;
      const shared = sharedSeconds([[moment, window]]);
      return shared?.isOpen === true || (shared?.offset === 0 && moment.ms > window.endMs);
    });
  });
}
