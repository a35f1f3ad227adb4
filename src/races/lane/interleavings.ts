/**
 * Returns the orders in which the requests of several calls can alternate. An order is a list of call indices, one for each request. Orders in which
 * each call sends all its requests in one block are left out, because the calls are then executed one after another.
 *
 * @param requests The number of requests of each call.
 * @param isEqual `true` if the calls are interchangeable. Of several orders that differ only by swapping calls, only one order is returned.
 * @returns `undefined` if there are more than `most` orders
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

/** Returns `true` if another call sends a request between two requests of the same call. */
function isInBetween(turns: readonly number[]): boolean {
  return turns.some((side, at) => at > 0 && turns[at - 1] !== side && turns.indexOf(side) < at);
}

/**
 * Returns `true` if this call equals an earlier call (same number of requests, none sent yet). An order in which this call starts first would then
 * only swap the two calls.
 */
function isLaterTwin(side: number, requests: readonly number[], turns: readonly number[]): boolean {
  if (turns.includes(side)) return false;
  return requests.some((count, other) => other < side && count === requests[side] && !turns.includes(other));
}
