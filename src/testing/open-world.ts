import { createAdapter } from "../adapters/load-store.ts";
import type { StoreAdapter } from "../model/stores/store-adapter.ts";
import { externalStores } from "../targets/stores/lane-stores.ts";
import { checkOptions, type CheckedOptions } from "./options/check-options.ts";
import type { WorldOptions } from "./options/world-options.ts";
import { openingError } from "./opening-error.ts";
import { TestWorld } from "./world/test-world.ts";
import { copyStores, type WorldCopies } from "./world/world-copies.ts";

/**
 * Copies the stores of an application, and returns a world whose checkpoints bring the copies back. Give `world.dbUrl` (or `world.urls`) to the
 * application. The templates are only read.
 *
 * Restoring a checkpoint undoes **everything** that was written to the world's stores since, by any process and over any connection. That is its
 * purpose: the application under test commits as in production. Caches in the application's memory are not restored.
 *
 * ```ts
 * await using world = await openWorld({ dbUrl: "postgresql://localhost/shop" });
 * await using checkpoint = await world.checkpoint("refund");
 * ```
 *
 * Close the world when the tests are over: its connections keep the process alive. Copies that a killed process leaves are removed by the next world or
 * run on the same server, and by `seqqa clean`.
 *
 * @throws SeqqaError `WORLD_OPTION_INVALID`, `STORE_NOT_ALLOWED`, `STORE_MISSING`, `STORE_UNREACHABLE`, `STORE_IN_USE`, `STORE_LEFT` and other codes of stores; the hint says what to do
 */
export async function openWorld(options: WorldOptions): Promise<TestWorld> {
  const checked = checkOptions(options);
  try {
    return await open(checked);
  } catch (error) {
    throw openingError(error);
  }
}

async function open(checked: CheckedOptions): Promise<TestWorld> {
  const { inPlace, worker, lateWrites } = checked;
  const { systems, end }: WorldCopies = inPlace
    ? { systems: externalStores(checked.stores, process.cwd()).systems, end: () => Promise.resolve() }
    : await copyStores(checked);
  const stores = new Map<string, StoreAdapter>();
  const endAll = async (): Promise<void> => {
    const closed = await Promise.allSettled([...stores.values()].map(async (store) => store.close()));
    await end();
    for (const one of closed) if (one.status === "rejected") throw one.reason;
  };
  try {
    for (const system of systems) {
      const store = await createAdapter(system);
      stores.set(system.name, store);
      await store.open({ name: system.name, laneIndex: worker, inProcess: false, borrowed: inPlace });
      await store.root();
    }
  } catch (error) {
    await endAll().catch(() => undefined);
    throw error;
  }
  const urls = Object.fromEntries(systems.map(({ name, url, targetUrl }) => [name, targetUrl ?? url]));
  return new TestWorld({ worker, urls, stores, lateWrites, end: endAll });
}
