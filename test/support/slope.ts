/** Returns the slope of points by Theil and Sen: the median of the slopes of all pairs, which single outliers do not move. 0 for fewer than two points. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const slopes = points
    .flatMap(([x, y], index) => points.slice(index + 1).flatMap(([otherX, otherY]) => (otherX === x ? [] : [(otherY - y) / (otherX - x)])))
    .toSorted((a, b) => a - b);
  return slopes.length === 0 ? 0 : (slopes[Math.floor((slopes.length - 1) / 2)]! + slopes[Math.ceil((slopes.length - 1) / 2)]!) / 2;
}
