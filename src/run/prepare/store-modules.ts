import type { Config, SystemConfig } from "../../config/index.ts";
import { loadStores, openModule } from "../../adapters/load-store.ts";
import { loadExtension } from "../../loader/index.ts";
import { storeModuleOf, type StoreModuleSettings } from "../../model/stores/store-module.ts";
import type { StoreKind } from "../../model/stores/store-provider.ts";
import type { LoadedStoreModule } from "../../targets/index.ts";
import { withRunDirectory } from "./run-directory.ts";

interface Places {
  readonly folder: string;
  readonly directory: string;
}

/**
 * Loads the module of a store adapter. Also creates an adapter to test the module, so that mistakes are found before a run starts.
 * @throws SeqqaError `EXTENSION_*`, `LOAD_*`, `STORE_ADAPTER_INVALID` with exit status 2
 */
export async function loadStoreModule(
  adapter: string,
  settings: StoreModuleSettings,
  { folder, directory }: Places,
): Promise<LoadedStoreModule> {
  const key = `systems.${settings.name}.adapter`;
  const { url, value } = await loadExtension({ name: adapter, key, folder, outDir: directory });
  const module = storeModuleOf(value);
  await openModule(module, adapter, settings);
  return { url, stores: module?.stores ?? {} };
}

/**
 * Loads the modules of all configured stores, so that mistakes are found before a run starts. For a user's own adapter, also creates an adapter to
 * test the module.
 * @throws SeqqaError with the codes of {@link loadStoreModule} if a user's own adapter cannot be loaded or created
 */
export async function checkStoreModules(config: Config): Promise<void> {
  await withRunDirectory(async (directory) => {
    for (const [name, system] of systemsOf(config)) await storesOf(name, system, { folder: config.folder, directory });
  });
}

/**
 * Returns the functions that create, check and clean stores of the configured kind. The module of a user's adapter may lack some of these functions.
 * @throws SeqqaError like {@link loadStoreModule}
 */
export async function storesOf(name: string, system: SystemConfig, places: Places): Promise<Partial<StoreKind>> {
  const { kind, adapter, url, options, checkpoint, isolation, tables, ignore, symmetric } = system;
  if (kind !== undefined) return loadStores(kind);
  return (await loadStoreModule(adapter!, { name, url, options, checkpoint, isolation, tables, ignore, symmetric }, places)).stores;
}

/** Returns all configured stores as pairs of name and configuration, including the stores of `lanes`. */
export function systemsOf(config: Config): readonly (readonly [string, SystemConfig])[] {
  return [config.systems, ...config.lanes.map(({ systems }) => systems)].flatMap((systems) => Object.entries(systems));
}
