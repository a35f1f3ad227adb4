/** Five numbers of a sample; `null` where as many values are missing that the number is one of them. */
export interface Quartiles {
  readonly min: number | null;
  readonly q1: number | null;
  readonly median: number | null;
  readonly q3: number | null;
  readonly max: number | null;
}

/**
 * Linear between two values of the sorted sample (type 7 of Hyndman and Fan). What is missing (`null`: not found within the budget) counts as
 * more than any value, so that a median of those that were lucky is not given for that of all.
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
