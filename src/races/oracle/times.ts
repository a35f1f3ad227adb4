import { durationText, FURTHEST_MS, momentOf, resolutionOf, type Moment } from "../../state/values/times.ts";
import type { ExecutedFacts, Executed } from "./execution.ts";
import { NO_VISITOR } from "./id-places.ts";
import { mapFacts, type FactsVisitor } from "./map-facts.ts";

/** The oldest time in milliseconds that a target uses as the present time, because some targets read their clock only once a second. */
const STALE_MS = 1_000;
export const MINUTE_MS: number = 60_000;

/** The times at each place of a state. */
export type TimesOfState = ReadonlyMap<string, readonly Moment[]>;

/** A place where the times of two executions differ. */
export interface TimeDifference {
  readonly place: string;
  /** The milliseconds by which the time of the first execution is later, measured from the beginning of its execution. */
  readonly laterMs: number;
}

/** @param isTime Returns `true` if a comparison of states ignores a text or number at a place, because it is a time. */
export function timesOf(facts: ExecutedFacts, isTime: (place: string, text: string) => boolean): TimesOfState {
  const found = new Map<string, Moment[]>();
  const add = (place: string, value: unknown, text: string): void => {
    const moment = isTime(place, text) ? momentOf(value) : undefined;
    if (moment !== undefined) found.set(place, [...(found.get(place) ?? []), moment]);
  };
  const visitor: FactsVisitor = {
    ...NO_VISITOR,
    number: (place, _name, text, before) => {
      if (before === undefined) add(place, Number(text), text);
      return undefined;
    },
    text: (place, text) => {
      if (!place.endsWith("{}")) add(place, text, text);
      return undefined;
    },
    other: (place, value) => {
      if (value instanceof Date && !Number.isNaN(value.getTime())) add(place, value, value.toISOString());
    },
  };
  mapFacts(facts, visitor);
  return found;
}

/** Returns `true` for a time that a target usually computes from the present time. */
export function isNearby(text: string, nowMs: number): boolean {
  const moment = timeIn(text);
  return moment !== undefined && Math.abs(moment.ms - nowMs) <= FURTHEST_MS;
}

/** Reads a time from the text of a value, or of a number. */
export function timeIn(text: string): Moment | undefined {
  return momentOf(text) ?? momentOf(Number(text));
}

/**
 * Returns by how many milliseconds a time of `a` is later than its counterpart in `b` (negative: earlier); 0 if no times differ. Equal times do not
 * differ. Two other times do not differ if both can have the same distance from the write, which may have run at any point of its execution.
 */
function laterBy(a: readonly Moment[], b: readonly Moment[], ranA: Executed, ranB: Executed): number {
  const left = b.map(({ ms }) => ms);
  const onlyA = a.filter(({ ms }) => {
    const at = left.indexOf(ms);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  const onlyB = b.filter(({ ms }) => {
    const at = left.indexOf(ms);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  const sorted = (moments: readonly Moment[]): readonly Moment[] => moments.toSorted((one, other) => one.ms - other.ms);
  const others = sorted(onlyB);
  for (const [at, one] of sorted(onlyA).entries()) {
    const other = others[at]!;
    // A time that is a multiple of a coarse unit by chance does not show that the place has this resolution, so the finer resolution counts.
    const resolutionMs = Math.min(resolutionOf(one), resolutionOf(other));
    const slack = resolutionMs < MINUTE_MS ? resolutionMs + STALE_MS : resolutionMs;
    const least = one.ms - ranA.endMs - (other.ms - ranB.startMs) - slack;
    const most = one.ms - ranA.startMs - (other.ms - ranB.endMs) + slack;
    if (least > 0 || most < 0) return one.ms - ranA.startMs - (other.ms - ranB.startMs);
  }
  return 0;
}

/**
 * Compares the times of two executions. Returns the places with different times, and the places where the times differ only because the executions ran
 * at different times (`moved`). Returns `undefined` if the executions cannot be compared: their windows are not known, or they began in states with
 * different times, for example because only one of them began in a state that was restored.
 */
export function comparedTimes(
  a: ExecutedFacts,
  b: ExecutedFacts,
  timesIn: (facts: ExecutedFacts) => TimesOfState,
): { readonly differing: readonly TimeDifference[]; readonly moved: readonly MovedTime[] } | undefined {
  const [ranA, ranB] = [a.executed, b.executed];
  if (ranA === undefined || ranB === undefined) return undefined;
  const between = (one: ExecutedFacts, other: ExecutedFacts): readonly (TimeDifference & MovedTime)[] => {
    const others = timesIn(other);
    return [...timesIn(one)].flatMap(([place, times]) => {
      const same = others.get(place) ?? [];
      const isEqual = times.length !== same.length || isSameList(times, same);
      const resolutionMs = Math.min(...[...times, ...same].map(resolutionOf));
      return isEqual ? [] : [{ place, laterMs: laterBy(times, same, ranA, ranB), resolutionMs }];
    });
  };
  if (between(ranA.before, ranB.before).some(({ laterMs }) => laterMs !== 0)) return undefined;
  const all = between(a, b);
  return {
    differing: all.filter(({ laterMs }) => laterMs !== 0),
    moved: all.filter(({ laterMs }) => laterMs === 0),
  };
}

/** A place whose times differ only because the executions ran at different times. */
interface MovedTime {
  readonly place: string;
  /** The finest unit of the times, in milliseconds. */
  readonly resolutionMs: number;
}

function isSameList(a: readonly Moment[], b: readonly Moment[]): boolean {
  const sorted = (moments: readonly Moment[]): readonly number[] => moments.map(({ ms }) => ms).toSorted((x, y) => x - y);
  const others = sorted(b);
  return sorted(a).every((ms, at) => ms === others[at]);
}

/** Describes a difference for people: `db.leases.until is 1 h earlier`. The difference is rounded to seconds. */
export function differenceText({ place, laterMs }: TimeDifference): string {
  const seconds = Math.round(laterMs / 1_000) * 1_000;
  return `${place} is ${durationText(seconds)} ${laterMs > 0 ? "later" : "earlier"}`;
}
