import type { Awaitable } from "../../model/stores/store-adapter.ts";

/** Returns all results, or throws the first error once no work is in progress: nothing may be written to a lost lane after that. */
export async function settled<T>(results: readonly Awaitable<T>[]): Promise<T[]> {
  const values: T[] = [];
  for (const one of await Promise.allSettled(results)) {
    if (one.status === "rejected") throw one.reason;
    values.push(one.value);
  }
  return values;
}
