import type { Awaitable } from "../../model/stores/store-adapter.ts";

/**
 * Waits for all results and returns them. Does not end early if one result is an error, because nothing may write to a lane after the lane is lost.
 * @throws the first error
 */
export async function settled<T>(results: readonly Awaitable<T>[]): Promise<T[]> {
  const values: T[] = [];
  for (const one of await Promise.allSettled(results)) {
    if (one.status === "rejected") throw one.reason;
    values.push(one.value);
  }
  return values;
}
