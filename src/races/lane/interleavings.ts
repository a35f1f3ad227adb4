/**
 * Returns the orders in which the requests of several calls can alternate, as lists of call indices. Orders in which each call sends all its requests
 * in one block are left out, because they equal orders of whole calls.
 *
 * @param requests Number of requests of each call.
 * @param isEqual `true` if the calls are interchangeable. Then only one of several orders that differ by swapping calls is returned.
 * @returns `undefined` if there are more than `most`
 */
export function interleavings(requests: readonly number[], isEqual: boolean, most: number): readonly (readonly number[])[] | undefined {
  const found: (readonly number[])[] = [];
  const left = [...requests];
  const turns: number[] = [];
  const extend = (): boolean => {
    if (left.every((count) => count === 0)) {
      if (isInBetween(turns)) found.push([...turns]);
      return found.length <= most;
    }
    return left.every((count, side) => {
      if (count === 0 || (isEqual && isLaterTwin(side, requests, turns))) return true;
      left[side]!--;
      turns.push(side);
      const isFew = extend();
      turns.pop();
      left[side]!++;
      return isFew;
    });
  };
  return extend() ? found : undefined;
}

/** Returns `true` if the turns of at least one call are interrupted by a turn of another call. */
function isInBetween(turns: readonly number[]): boolean {
  return turns.some((side, at) => at > 0 && turns[at - 1] !== side && turns.indexOf(side) < at);
}

/**
 * Returns `true` if this call and an earlier call with the same number of requests have both not started. Starting this one first would only swap the
 * two.
 */
function isLaterTwin(side: number, requests: readonly number[], turns: readonly number[]): boolean {
  if (turns.includes(side)) return false;
  return requests.some((count, other) => other < side && count === requests[side] && !turns.includes(other));
}
