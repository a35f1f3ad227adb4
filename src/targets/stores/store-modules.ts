import type { StoreModuleSettings } from "../../model/stores/store-module.ts";
import type { LoadStoreModule, StoreConfig, TargetConfig } from "../target-config.ts";

type Stores = Readonly<Record<string, StoreConfig>>;

/** Loads the adapter modules of all stores, and returns the configuration with these modules. @throws SeqqaError with exit status 2 */
export async function withStoreModules(config: TargetConfig, load: LoadStoreModule | undefined): Promise<TargetConfig> {
  const loaded = async (stores: Stores | undefined): Promise<Stores | undefined> => {
    if (stores === undefined || load === undefined) return stores;
    const all = Object.entries(stores).map(async ([name, store]): Promise<readonly [string, StoreConfig]> => {
      if (store.adapter === undefined) return [name, store];
      return [name, { ...store, loaded: await load(store.adapter, moduleSettings(name, store), config.folder) }];
    });
    return Object.fromEntries(await Promise.all(all));
  };
  const lanes = await Promise.all((config.lanes ?? []).map(async (lane) => ({ ...lane, systems: await loaded(lane.systems) })));
  return { ...config, systems: await loaded(config.systems), lanes: config.lanes === undefined ? undefined : lanes };
}

function moduleSettings(
  name: string,
  { url, options, checkpoint, isolation, tables, ignore, symmetric }: StoreConfig,
): StoreModuleSettings {
  return { name, url, options, checkpoint, isolation, tables, ignore, symmetric };
}

/**
 * Returns the name of the first configured store whose adapter module cannot make copies for lanes. Returns `undefined` if there is no such store.
 */
export function storeWithoutCopies({ target, systems }: TargetConfig): string | undefined {
  if (target === undefined) return undefined;
  return Object.entries(systems ?? {}).find(([, store]) => isUsedWhereItIs(store))?.[0];
}

/** Returns `true` if the adapter module of a store cannot make copies, so that lanes use the configured store itself. */
export function isUsedWhereItIs({ adapter, loaded }: StoreConfig): boolean {
  return adapter !== undefined && loaded?.stores.createProvider === undefined;
}
