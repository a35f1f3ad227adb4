import { isInToken } from "../values/places.ts";
import { fittingOffset, offsetFromStep } from "../values/times.ts";
import type { Execution } from "./compare-executions.ts";
import type { TimePlace } from "./knowledge.ts";
import { hasResolution } from "./resolutions.ts";
import { momentsOf, type PlacedMoment } from "./moments.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

interface OpenTime {
  readonly place: string;
  /** The index of the step that wrote the time. */
  readonly stop: number;
  /** The distance of the time from its step, and its distances from stored times, in milliseconds. */
  readonly offset: number;
  readonly distances: readonly number[];
}

/**
 * Determines the base of each time in whole seconds that has two possible bases: the step that wrote the time, and a stored time that was written
 * within the same second. For example, a time may be 60 days after its step, or 30 days after a stored time that is itself 30 days ahead. An
 * execution with a pause before the step shows which of the two is the base.
 */
export class DerivedTimes {
  readonly #times: readonly TimePlace[];
  readonly #found: readonly TimePlace[];
  readonly #open: OpenTime[] = [];
  /** The places and offsets of times whose base can only be their step. */
  readonly #sure = new Set<string>();

  /** @param path The states after each step of the path. @param found The places of times that experiments on this path found. */
  constructor(path: readonly Execution[], found: readonly TimePlace[], known: readonly TimePlace[]) {
    this.#found = found;
    this.#times = [...found, ...known].filter(({ after }) => after === "");
    const seen = new Set<string>();
    path.forEach(({ window }, stop) => {
      const before = stop === 0 ? [] : this.#timesIn(path[stop - 1]!);
      for (const { place, moment } of this.#written(path, stop)) {
        const offset = offsetFromStep(moment, window, SECOND_MS);
        const distances = before.map((other) => moment.ms - other.moment.ms).filter((apart) => apart !== 0 && apart % MINUTE_MS === 0);
        const key = `${place} ${offset}`;
        if (distances.length === 0) this.#sure.add(key);
        else if (offset !== 0 && offset % MINUTE_MS === 0 && !seen.has(key) && this.#isOpen(place, offset))
          this.#open.push({ place, stop, offset, distances });
        seen.add(key);
      }
    });
  }

  /** The indices of the steps that must be repeated after a pause of more than a second, to show the base of a time. Empty if all bases are known. */
  get stops(): ReadonlySet<number> {
    return new Set(this.#open.map(({ stop }) => stop));
  }

  /**
   * Returns the places of times that experiments found, and the places whose bases the execution with pauses showed.
   * @param delayed The execution with pauses.
   */
  settled(delayed: readonly Execution[]): readonly TimePlace[] {
    const wrong = new Set<string>();
    const shown = this.#open.flatMap(({ place, stop, offset, distances }): readonly TimePlace[] => {
      if (delayed.length <= stop) return [];
      const before = this.#timesIn(delayed[stop - 1]!);
      const now = this.#written(delayed, stop).filter((one) => one.place === place);
      const isOffset = now.some(({ moment }) => fittingOffset([offset], moment, delayed[stop]!.window, SECOND_MS) !== undefined);
      const isDistance = now.some(({ moment }) => before.some((other) => distances.includes(moment.ms - other.moment.ms)));
      if (isOffset === isDistance) return [];
      const time = this.#times.find((one) => one.place === place)!;
      if (isDistance) wrong.add(`${place} ${offset}`);
      return [isOffset ? { ...time, offsets: [offset] } : { ...time, base: "stored", offsets: [] }];
    });
    const found = this.#found.map((one) => ({
      ...one,
      offsets: one.offsets?.filter((offset) => !wrong.has(`${one.place} ${offset}`) || this.#sure.has(`${one.place} ${offset}`)),
    }));
    return [...found, ...shown];
  }

  #isOpen(place: string, offset: number): boolean {
    const time = this.#times.find((one) => one.place === place)!;
    const { base, offsets = [] } = time;
    const isNew = this.#found.some((one) => one.place === place);
    return base === "step" && hasResolution(time, SECOND_MS) && !isInToken(place) && (isNew || !offsets.includes(offset));
  }

  #timesIn({ facts }: Execution): readonly PlacedMoment[] {
    return momentsOf(facts).filter(({ place }) => this.#times.some((one) => one.place === place));
  }

  /** Returns the times that the step with the index `stop` wrote: times that the state before the step did not contain at the same place. */
  #written(path: readonly Execution[], stop: number): readonly PlacedMoment[] {
    const before = stop === 0 ? [] : this.#timesIn(path[stop - 1]!);
    const isOld = ({ place, moment }: PlacedMoment): boolean =>
      before.some((other) => other.place === place && other.moment.ms === moment.ms);
    return this.#timesIn(path[stop]!).filter((one) => !isOld(one));
  }
}
