import { pathToFileURL } from "node:url";
import { bundle } from "../../loader/index.ts";
import type { TargetHostOptions } from "../../targets/index.ts";
import { loadStores } from "../../adapters/load-store.ts";
import { loadStoreModule } from "./store-modules.ts";

/** Returns the functions of upper layers that the target host needs. `directory`: for bundles. */
export function hostOptions(directory: string): TargetHostOptions {
  return {
    bundleModule: async (file) => pathToFileURL((await bundle(file, { outDir: directory })).file).href,
    cloneStore: async (source, target) => (await import("../../adapters/sqlite/index.ts")).cloneSqliteFile(source, target),
    storeKind: loadStores,
    storeModule: (adapter, settings, folder) => loadStoreModule(adapter, settings, { folder, directory }),
  };
}
