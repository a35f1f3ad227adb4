/** Usual lifetimes of keys and cookies, in seconds, in ascending order. Browsers keep cookies for up to 400 days. */
const LIFETIMES: readonly number[] = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400, 604_800, 2_592_000,
  7_776_000, 31_536_000, 34_560_000,
];
/** A tolerance: a remaining time of up to this factor times a number in {@link LIFETIMES} is still assigned to this number. */
const BEYOND = 1.01;

/**
 * Returns the lifetime that something with this remaining time is assumed to have, in seconds: the first of {@link LIFETIMES} that is not below the
 * remaining time. The time between the start of the lifetime and its measurement therefore does not matter. `undefined` if the remaining time is
 * longer than 400 days.
 */
export function lifetimeOf(leftMs: number): number | undefined {
  return LIFETIMES.find((seconds) => leftMs <= seconds * 1_000 * BEYOND);
}
