/**
 * Returns the orders in which the requests of several sides can follow each other, as the side whose turn it is. Orders in which each side sends all
 * of its requests together are left out, since those are the orders of the calls.
 *
 * @param requests Number of requests of each side.
 * @param isEqual The sides are interchangeable: of orders that differ only in the sides' places, the first is returned.
 * @returns `undefined` if there are more than `most`.
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

/** Returns `true` if a side has another turn after a turn of another side. */
function isInBetween(turns: readonly number[]): boolean {
  return turns.some((side, at) => at > 0 && turns[at - 1] !== side && turns.indexOf(side) < at);
}

/** Returns `true` if neither this side nor an earlier side with as many requests has begun. */
function isLaterTwin(side: number, requests: readonly number[], turns: readonly number[]): boolean {
  if (turns.includes(side)) return false;
  return requests.some((count, other) => other < side && count === requests[side] && !turns.includes(other));
}
