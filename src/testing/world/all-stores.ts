import type { Awaitable, Checkpoint, StoreAdapter } from "../../model/stores/store-adapter.ts";

type Stores = ReadonlyMap<string, StoreAdapter>;

/** Calls a function for all stores at once. Waits until all calls have ended, then throws the first failure. */
export async function inAll<T>(stores: Stores, work: (store: StoreAdapter, name: string) => Awaitable<T>): Promise<ReadonlyMap<string, T>> {
  const done = await Promise.allSettled([...stores].map(async ([name, store]) => [name, await work(store, name)] as const));
  return new Map(
    done.map((one) => {
      if (one.status === "rejected") throw one.reason;
      return one.value;
    }),
  );
}

/** Returns the names of the stores that were written to since the given checkpoints. */
export async function changedSince(stores: Stores, marks: ReadonlyMap<string, Checkpoint>): Promise<readonly string[]> {
  const changed = await inAll(stores, (store, name) => store.changed(marks.get(name)));
  return [...changed].filter(([, hasChanged]) => hasChanged).map(([name]) => name);
}

export async function restoreAll(stores: Stores, marks: ReadonlyMap<string, Checkpoint>): Promise<void> {
  await inAll(stores, (store, name) => restore(store, marks.get(name)));
}

/**
 * Restores a store. Calling `changed` first makes adapters read the store, so that `lastLook` can then restore in one round trip. Without this call,
 * an adapter that finds an unread write would have to begin the restore again.
 */
async function restore(store: StoreAdapter, mark: Checkpoint): Promise<void> {
  if (store.lastLook !== undefined) {
    await store.changed(mark);
    if ((await store.lastLook()?.restore(mark)) === true) return;
  }
  await store.restore(mark);
}
