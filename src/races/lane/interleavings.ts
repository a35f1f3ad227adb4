/**
 * The orders in which the requests of several sides can follow each other, as the side whose turn it is; without those in which each side sends all of its
 * requests in one go, which are the orders of the calls.
 *
 * @param requests How many each side sends.
 * @param isEqual The sides are not told apart: of those that differ only in which of them is which, the first.
 * @returns `undefined` where there are more than `most`.
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

/** Some side comes to its turn again after another one. */
function isInBetween(turns: readonly number[]): boolean {
  return turns.some((side, at) => at > 0 && turns[at - 1] !== side && turns.indexOf(side) < at);
}

/** A side that sends as much as one before it, and neither has begun. */
function isLaterTwin(side: number, requests: readonly number[], turns: readonly number[]): boolean {
  if (turns.includes(side)) return false;
  return requests.some((count, other) => other < side && count === requests[side] && !turns.includes(other));
}
