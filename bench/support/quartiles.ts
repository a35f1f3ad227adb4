/** Five figures of a sample. A figure is `null` if so many values are missing that it is one of the missing values. */
export interface Quartiles {
  readonly min: number | null;
  readonly q1: number | null;
  readonly median: number | null;
  readonly q3: number | null;
  readonly max: number | null;
}

/**
 * Returns the quartiles, by linear interpolation between two values of the sorted sample (type 7 of Hyndman and Fan). A missing value (`null`: not
 * found within the steps) counts as greater than all others. Otherwise, the median would describe only the successful runs.
 */
export function quartiles(values: readonly (number | null)[]): Quartiles {
  if (values.length === 0) throw new Error("There are no quartiles of nothing.");
  const sorted = values.map((value) => value ?? Infinity).sort((a, b) => (a === b ? 0 : a - b));
  const at = (share: number): number | null => {
    const place = (sorted.length - 1) * share;
    const below = sorted[Math.floor(place)]!;
    const above = sorted[Math.ceil(place)]!;
    const value = above === Infinity && place % 1 !== 0 ? Infinity : below === above ? below : below + (above - below) * (place % 1);
    return value === Infinity ? null : value;
  };
  return { min: at(0), q1: at(0.25), median: at(0.5), q3: at(0.75), max: at(1) };
}
