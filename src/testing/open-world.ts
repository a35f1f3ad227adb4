import { createAdapter } from "../adapters/load-store.ts";
import type { StoreAdapter } from "../model/stores/store-adapter.ts";
import { externalStores } from "../targets/stores/lane-stores.ts";
import { checkOptions, type CheckedOptions } from "./options/check-options.ts";
import type { WorldOptions } from "./options/world-options.ts";
import { withShownHint } from "./shown-hint.ts";
import { TestWorld } from "./world/test-world.ts";
import { copyStores, type WorldCopies } from "./world/world-copies.ts";
import { SeqqaError } from "../model/errors.ts";

/** Hints for tests, by error code. These hints replace the usual hints, which mention lanes and runs. */
const HINTS: Readonly<Record<string, string>> = {
  STORE_MISSING: "Check the URL of the store. If the URL is right, create the database and run its migrations before openWorld().",
  STORE_LEFT:
    "Set SEQQA_DB_URL to the store's URL, or name the store in seqqa.yaml. Then run `seqqa clean`, which shows these rows, asks you, and restores them.",
  STORE_IN_USE: "With inPlace, only one world at a time can use a store. Run the test files one after another, or remove inPlace.",
};

/**
 * Copies the stores of an application, and returns a world whose checkpoints restore the copies. Start the application with `world.dbUrl` (or
 * `world.urls`). The original stores are only read.
 *
 * Restoring a checkpoint undoes **everything** that any process wrote to the world's stores since the checkpoint, over any connection. This is
 * intended: the application under test commits as in production. Caches in the application's memory are not restored.
 *
 * ```ts await using world = await openWorld({ dbUrl: "postgresql://localhost/shop" }); await using checkpoint = await world.checkpoint("refund"); ```
 *
 * Close the world after the tests, because its connections keep the process alive. If a process is killed, its copies remain until the next world or
 * run on the same server, or `seqqa clean`, removes them.
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

/** Returns the error for a world that could not be opened, with a hint for tests. */
function openingError(error: unknown): unknown {
  const hint = error instanceof SeqqaError ? HINTS[error.code] : undefined;
  if (hint === undefined) return error;
  const { code, message, exitStatus } = error as SeqqaError;
  return new SeqqaError(code, `openWorld() failed: ${message}`, { hint, exitStatus, cause: error });
}
