import type { Awaitable } from "../../model/stores/store-adapter.ts";

/** All results, or the first error once nothing is under way any more: a lane that is lost must not go on being written to. */
export async function settled<T>(results: readonly Awaitable<T>[]): Promise<T[]> {
  const values: T[] = [];
  for (const one of await Promise.allSettled(results)) {
    if (one.status === "rejected") throw one.reason;
    values.push(one.value);
  }
  return values;
}
