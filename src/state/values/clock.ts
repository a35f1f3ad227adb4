const DAY_MS = 86_400_000;

/** The number of units in one millisecond, for seconds, milliseconds, microseconds and nanoseconds. */
const UNITS_PER_MS = [0.001, 1, 1_000, 1_000_000] as const;

const DATE_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?$/;

/** Decides which times are near the run's clock. Such times were generated during the run, not given as data. */
export class Clock {
  readonly #clocks: readonly number[];
  readonly #bounds: Float64Array;

  /** @param clocks The run's clock; for a resumed run, also the clocks of earlier sessions. Without clocks, no time is near. */
  constructor(...clocks: readonly number[]) {
    this.#clocks = clocks;
    this.#bounds = Float64Array.from(
      this.#clocks.flatMap((clock) => UNITS_PER_MS.flatMap((unit) => [(clock - DAY_MS) * unit, (clock + DAY_MS) * unit])),
    );
  }

  nearMs(ms: number): boolean {
    return this.#clocks.some((clock) => Math.abs(ms - clock) <= DAY_MS);
  }

  /**
   * Returns `true` for a number that is a time near a clock, in one of the units (seconds to nanoseconds) since 1970. Numbers below 1e9 never count.
   */
  nearNumber(value: number): boolean {
    if (!(value >= 1e9)) return false;
    const bounds = this.#bounds;
    for (let i = 0; i < bounds.length; i += 2) if (value >= bounds[i]! && value <= bounds[i + 1]!) return true;
    return false;
  }

  /**
   * Returns `true` for a text that is a date and time near a clock. Known notations: HTTP dates, and ISO 8601, in which a blank may replace the `T`.
   * A time without a time zone is read as UTC.
   */
  nearText(text: string): boolean {
    const parts = DATE_TIME.exec(text);
    if (parts === null) return this.nearMs(Date.parse(text));
    const zone = parts[5] === undefined ? "Z" : parts[5].length === 5 ? `${parts[5].slice(0, 3)}:${parts[5].slice(3)}` : parts[5];
    return this.nearMs(Date.parse(`${parts[1]}T${parts[2]}${parts[3] ?? ":00"}.${(parts[4] ?? "0").slice(0, 3)}${zone}`));
  }
}
