/** A range of code, in characters from the start of the script, and how often V8 executed it. The end is excluded. */
export interface CoverageRange {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** A function of a script. The first range is the whole function; the others are blocks in it. */
export interface CoveredFunction {
  readonly functionName: string;
  readonly isBlockCoverage: boolean;
  readonly ranges: readonly CoverageRange[];
}

/**
 * Adds up the coverage of one script in several processes. V8 leaves out a block that was executed as often as the code around it, so a block that only
 * one process lists counts in the others like the smallest range around it.
 */
export function mergeV8(processes: readonly (readonly CoveredFunction[])[]): readonly CoveredFunction[] {
  const byPlace = new Map<string, CoveredFunction[]>();
  for (const one of processes.flat()) {
    const [whole] = one.ranges;
    if (whole === undefined) continue;
    const key = placeOf(whole);
    const same = byPlace.get(key);
    if (same === undefined) byPlace.set(key, [one]);
    else same.push(one);
  }
  // Outer functions come first, because v8-to-istanbul lets later ranges replace the counts of earlier ones.
  return [...byPlace.values()].map(mergedFunction).toSorted((a, b) => outerFirst(a.ranges[0]!, b.ranges[0]!));
}

function mergedFunction(all: readonly CoveredFunction[]): CoveredFunction {
  if (all.length === 1) return all[0]!;
  const places = new Map(all.flatMap(({ ranges }) => ranges).map((range) => [placeOf(range), range]));
  const ranges = [...places.values()]
    .map(({ startOffset, endOffset }) => ({
      startOffset,
      endOffset,
      count: all.reduce((sum, one) => sum + countAt(one.ranges, startOffset, endOffset), 0),
    }))
    .toSorted(outerFirst);
  return { functionName: all[0]!.functionName, isBlockCoverage: all.some((one) => one.isBlockCoverage), ranges };
}

/** Returns the count of the smallest range that contains these characters. */
function countAt(ranges: readonly CoverageRange[], start: number, end: number): number {
  let smallest: CoverageRange | undefined;
  for (const range of ranges) {
    if (range.startOffset > start || range.endOffset < end) continue;
    if (smallest === undefined || range.endOffset - range.startOffset < smallest.endOffset - smallest.startOffset) smallest = range;
  }
  return smallest?.count ?? 0;
}

function outerFirst(a: CoverageRange, b: CoverageRange): number {
  return a.startOffset - b.startOffset || b.endOffset - a.endOffset;
}

function placeOf({ startOffset, endOffset }: CoverageRange): string {
  return `${startOffset}-${endOffset}`;
}
