import { defaultOf } from "../model/default-of.ts";
import { SeqqaError } from "../model/errors.ts";
import { lackOfAdapter, storeModuleOf, type StoreModule, type StoreModuleSettings } from "../model/stores/store-module.ts";
import type { StoreAdapter } from "../model/stores/store-adapter.ts";
import type { StoreKind } from "../model/stores/store-provider.ts";
import { STORE_KINDS, type StoreKindName, type StoreSettings } from "./store-kinds.ts";

export async function loadStores(kind: StoreKindName): Promise<StoreKind> {
  return (await STORE_KINDS[kind].load()).stores;
}

export async function createAdapter(settings: StoreSettings): Promise<StoreAdapter> {
  const { kind, module, adapter = "", name, url, targetUrl, options, checkpoint, isolation, tables, ignore, symmetric } = settings;
  const given = { name, url, targetUrl, options, checkpoint, isolation, tables, ignore, symmetric };
  if (kind !== undefined) return (await STORE_KINDS[kind].load()).open(given);
  return openModule(storeModuleOf(defaultOf((await import(module!)) as Record<string, unknown>)), adapter, given);
}

/**
 * Creates the adapter of a store by calling the user's module. `adapter`: the name of the module in the configuration.
 * @throws SeqqaError `STORE_ADAPTER_INVALID` with exit status 2
 */
export async function openModule(module: StoreModule | undefined, adapter: string, settings: StoreModuleSettings): Promise<StoreAdapter> {
  const wrong = (what: string, cause?: unknown): SeqqaError =>
    new SeqqaError("STORE_ADAPTER_INVALID", `The store module ${adapter}, which systems.${settings.name}.adapter names, ${what}.`, {
      exitStatus: 2,
      hint: "Write in the module, for example: export default (settings: StoreModuleSettings): StoreAdapter => new MyStore(settings).",
      cause,
    });
  if (module === undefined) throw wrong("has no default export that is a function, or an object with a function open");
  let made: unknown;
  try {
    made = await module.open(settings);
  } catch (cause) {
    if (cause instanceof SeqqaError) throw cause;
    throw wrong(`threw an error when seqqa created its store adapter: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  const lack = lackOfAdapter(made);
  if (lack !== undefined) throw wrong(`returns no StoreAdapter: its result ${lack}`);
  return made as StoreAdapter;
}
