import { createAdapter } from "../adapters/load-store.ts";
import type { StoreAdapter } from "../model/stores/store-adapter.ts";
import { externalStores } from "../targets/stores/lane-stores.ts";
import { checkOptions, type CheckedOptions } from "./options/check-options.ts";
import type { WorldOptions } from "./options/world-options.ts";
import { openingError } from "./opening-error.ts";
import { withShownHint } from "./shown-hint.ts";
import { TestWorld } from "./world/test-world.ts";
import { copyStores, type WorldCopies } from "./world/world-copies.ts";

/**
 * Copies the stores of an application, and returns a world whose checkpoints restore the copies. Start the application with `world.dbUrl` (or
 * `world.urls`). The original stores are only read.
 *
 * Restoring a checkpoint undoes **everything** that any process wrote to the world's stores since the checkpoint, over any connection. This is
 * intended: the application under test commits as in production. Caches in the application's memory are not restored.
 *
 * ```ts
 * await using world = await openWorld({ dbUrl: "postgresql://localhost/shop" });
 * await using checkpoint = await world.checkpoint("refund");
 * ```
 *
 * Close the world after the tests, because its connections keep the process alive. If a process is killed, its copies remain. The next world or run
 * on the same server removes them, and so does `seqqa clean`.
 *
 * @throws SeqqaError `WORLD_OPTION_INVALID`, `STORE_NOT_ALLOWED`, `STORE_MISSING`, `STORE_UNREACHABLE`, `STORE_IN_USE`, `STORE_LEFT` and other codes
 * of stores. The hint says how to solve the problem.
 */
export async function openWorld(options: WorldOptions): Promise<TestWorld> {
  try {
    return await open(checkOptions(options));
  } catch (error) {
    throw withShownHint(openingError(error));
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
