import type { CallEnd, Execution } from "./execution.ts";
import { answerPlace, dataOf, NO_VISITOR } from "./id-places.ts";
import { mapLeaves } from "./leaves.ts";
import { mapFacts, type FactsVisitor } from "./map-facts.ts";

/** A number in an answer, with the duration of the call; or a number in a state, with the duration of the longest call. */
export interface Sample {
  readonly value: number;
  readonly tookMs: number;
}

/** The number of milliseconds in a second, a millisecond, a microsecond and a nanosecond. */
const UNITS: readonly number[] = [1000, 1, 0.001, 0.000_001];
/** Matches names of durations such as `took`, `elapsedMs` and `duration`. */
const DURATION_NAME =
  /took|elapsed|duration|latency|runtime|uptime|millis|micros|nanos|seconds|(?:^|_)(?:time|ms|us|ns|secs?)(?:#\d+)?$|(?:[a-z]Time|M[sS])(?:#\d+)?$/i;

/**
 * Returns `true` if the numbers of one place look like durations: no number is longer than the duration of its call, and the smallest number of
 * simultaneous calls is not smaller than the smallest number of single calls.
 * @param alone Numbers of calls made one after another.
 * @param met Numbers of calls made at the same time.
 */
export function areDurations(place: string, alone: readonly Sample[], met: readonly Sample[]): boolean {
  const all = [...alone, ...met];
  if (alone.length === 0 || met.length === 0 || all.some(({ value }) => value < 0)) return false;
  const isNamed = isCalledDuration(place);
  const distinct = new Set(all.map(({ value }) => value)).size;
  // Durations rarely repeat. If the name of the place does not suggest a duration, require four different values, because a sum that both calls
  // change has at most three values.
  if (distinct < (isNamed ? 2 : 4)) return false;
  const isWhole = all.every(({ value }) => Number.isInteger(value));
  // Try microseconds and nanoseconds only if the name of the place suggests a duration, because any small number would fit these units.
  return UNITS.filter((unit) => isNamed || unit >= 1).some((unit) => {
    // Allow for rounding of whole numbers, and for a clock that is off by one millisecond.
    const slack = (isWhole ? unit : 0) + 1;
    if (!all.every(({ value, tookMs }) => value * unit <= tookMs + slack)) return false;
    return Math.min(...met.map(({ value }) => value)) >= Math.min(...alone.map(({ value }) => value)) - (isWhole ? 1 : 0);
  });
}

const isCalledDuration = (place: string): boolean => DURATION_NAME.test(place.slice(place.lastIndexOf(".") + 1));

/**
 * Returns the numbers at each place of an execution: all numbers in its answers, and those numbers in its state whose place has a name that suggests
 * a duration.
 */
export function numbersOf({ calls, states }: Execution): ReadonlyMap<string, readonly Sample[]> {
  const found = new Map<string, Sample[]>();
  const collecting = (tookMs: number, isWanted: (place: string) => boolean): FactsVisitor => ({
    ...NO_VISITOR,
    number: (place, _name, text) => {
      if (isWanted(place)) found.set(place, [...(found.get(place) ?? []), { value: Number(text), tookMs }]);
      return undefined;
    },
  });
  for (const call of calls) {
    if (call !== undefined)
      mapLeaves(
        dataOf(call),
        answerPlace(call),
        "",
        collecting(durationOf(call), () => true),
      );
  }
  const longest = Math.max(0, ...calls.map((call) => (call === undefined ? 0 : durationOf(call))));
  mapFacts(states[0]!.facts, collecting(longest, isCalledDuration));
  return found;
}

const durationOf = ({ exchanges }: CallEnd): number => exchanges.reduce((sum, one) => sum + one.durationMs, 0);

/**
 * Returns the places whose numbers do not depend on the order of the calls, because the same number occurs when the call is first and when it is
 * later. If simultaneous calls have different numbers at one of these places, the cause is a race or a duration.
 */
export function orderless(orders: readonly Execution[]): ReadonlySet<string> {
  /** For each place and each position of a call in an order (0 for the first call): the numbers, as text. */
  const values = new Map<string, Map<number, Set<string>>>();
  for (const execution of orders) {
    for (const [at, side] of (execution.order ?? []).entries()) {
      for (const [place, samples] of numbersOf({ ...execution, calls: [execution.calls[side]] })) {
        const own = values.get(place) ?? new Map<number, Set<string>>();
        values.set(place, own.set(at, (own.get(at) ?? new Set()).add(samples.map(({ value }) => value).join())));
      }
    }
  }
  return new Set([...values].flatMap(([place, seen]) => (haveCommon([...seen.values()]) ? [place] : [])));
}

const haveCommon = ([first, ...others]: readonly ReadonlySet<string>[]): boolean =>
  others.every((other) => [...first!].some((value) => other.has(value)));
