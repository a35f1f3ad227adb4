/** A range of code in a script. Offsets are numbers of characters from the start of the script. */
export interface CoverageRange {
  readonly startOffset: number;
  /** The offset of the first character after the range. */
  readonly endOffset: number;
  /** The number of times that V8 executed the range. */
  readonly count: number;
}

type Place = Pick<CoverageRange, "startOffset" | "endOffset">;

/** A function of a script. The first range is the whole function; the other ranges are blocks in the function. */
export interface CoveredFunction {
  readonly functionName: string;
  readonly isBlockCoverage: boolean;
  readonly ranges: readonly CoverageRange[];
}

/**
 * Adds up the coverage of one script in several processes. The result has the form that V8 would give for a single process. V8 leaves out a block
 * that was executed as often as the code around it, and joins neighbours that were executed equally often. A block in one process may therefore be
 * part of a larger range in another process.
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
  // Outer functions come first, because v8-to-istanbul lets later ranges replace the counts of earlier ranges.
  return [...byPlace.values()].map(mergedFunction).toSorted((a, b) => outerFirst(a.ranges[0]!, b.ranges[0]!));
}

function mergedFunction(all: readonly CoveredFunction[]): CoveredFunction {
  if (all.length === 1) return all[0]!;
  const counted = [all[0]!.ranges[0]!, ...pieces(all.flatMap(({ ranges }) => ranges.slice(1)))].map(({ startOffset, endOffset }) => ({
    startOffset,
    endOffset,
    count: all.reduce((sum, one) => sum + countAt(one.ranges, startOffset, endOffset), 0),
  }));
  return {
    functionName: all[0]!.functionName,
    isBlockCoverage: all.some((one) => one.isBlockCoverage),
    ranges: normal(counted.toSorted(outerFirst)),
  };
}

/** Cuts ranges at the ends of other ranges, until any two ranges have no common characters, or one range contains the other. */
function pieces(ranges: readonly CoverageRange[]): readonly Place[] {
  let places: readonly Place[] = distinct(ranges);
  for (;;) {
    const cut = distinct(places.flatMap((one) => cutAt(one, places)));
    if (cut.length === places.length) return places;
    places = cut;
  }
}

/**
 * Cuts a range at each point inside the range where another range begins or ends. Exception: a range that lies inside this range, and touches neither
 * of its ends, causes no cut.
 */
function cutAt({ startOffset: start, endOffset: end }: Place, others: readonly Place[]): readonly Place[] {
  const cuts = new Set<number>([start, end]);
  for (const { startOffset, endOffset } of others) {
    if (startOffset <= start && endOffset > start && endOffset < end) cuts.add(endOffset);
    if (endOffset >= end && startOffset > start && startOffset < end) cuts.add(startOffset);
  }
  const sorted = [...cuts].toSorted((a, b) => a - b);
  return sorted.slice(1).map((endOffset, index) => ({ startOffset: sorted[index]!, endOffset }));
}

function distinct(places: readonly Place[]): readonly Place[] {
  return [...new Map(places.map((one) => [placeOf(one), one])).values()];
}

/** Leaves out ranges whose count equals the count of the surrounding range, and joins neighbours with equal counts. */
function normal(sorted: readonly CoverageRange[]): readonly CoverageRange[] {
  const kept: { startOffset: number; endOffset: number; count: number }[] = [];
  const around: typeof kept = [];
  for (const range of sorted) {
    let before: (typeof kept)[number] | undefined;
    while (around.length > 0 && around.at(-1)!.endOffset <= range.startOffset) before = around.pop();
    if (around.at(-1)?.count === range.count) continue;
    if (before?.endOffset === range.startOffset && before.count === range.count) {
      before.endOffset = range.endOffset;
      around.push(before);
      continue;
    }
    const own = { ...range };
    kept.push(own);
    around.push(own);
  }
  return kept;
}

/** Returns the count of the smallest range that contains the characters from `start` to `end`; 0 if no range contains them. */
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

function placeOf({ startOffset, endOffset }: Place): string {
  return `${startOffset}-${endOffset}`;
}
