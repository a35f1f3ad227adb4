/**
 * The sizes of the suites, all in one file: small ones for `npm test`, the ones that the project promises for
 * `npm run verify:full`. No size is ever zero, so that no suite is skipped by its size.
 */

/** The full-size suites run: `SEQQA_VERIFY=full`, set by `npm run verify:full`. */
export const full: boolean = process.env["SEQQA_VERIFY"] === "full";

/** `quick` in `npm test`, `fullSize` in `npm run verify:full`. */
export function size(quick: number, fullSize: number): number {
  const chosen = full ? fullSize : quick;
  if (!(chosen > 0)) throw new RangeError(`A suite's size must be above 0, not ${chosen}.`);
  return chosen;
}

/** The first `quick` of some cases in `npm test`, so that the most telling ones come first; all of them in `npm run verify:full`. */
export function some<T>(cases: readonly T[], quick: number): readonly T[] {
  return cases.slice(0, size(quick, cases.length));
}

/** A size in batches of at most `most`, each a test of its own: a part of `npm run verify:full` takes ten minutes at most. `first` tells batches apart. */
export function batches(total: number, most: number): readonly { readonly first: number; readonly count: number }[] {
  return Array.from({ length: Math.ceil(total / most) }, (_, batch) => ({
    first: batch * most,
    count: Math.min(most, total - batch * most),
  }));
}

/**
 * Numbers of lanes for tests of something else: one in `npm test`, whose lane has no thread of its own and costs a third of two, which is a matter of
 * minutes for all tests; two as well at full size. That every number of lanes gives one answer is shown by `unit/property/engine` (the engine) and
 * `e2e/one-answer` (the command, over HTTP), and that lanes work in threads by `e2e/contract/lane-pool`.
 */
export const laneCounts: readonly string[] = full ? ["1", "2"] : ["1"];
