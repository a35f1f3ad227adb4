import { defaultOf } from "../model/default-of.ts";
import { SeqqaError } from "../model/errors.ts";
import { lackOfAdapter, storeModuleOf, type StoreModule, type StoreModuleSettings } from "../model/stores/store-module.ts";
import type { StoreAdapter } from "../model/stores/store-adapter.ts";
import type { StoreKindName, StoreSettings } from "../model/stores/store-kinds.ts";
import type { StoreKind } from "../model/stores/store-provider.ts";

/** A kind of store, loaded with its driver. */
export interface LoadedStore {
  /** Provides, checks and cleans stores of this kind. */
  readonly stores: StoreKind;
  open(settings: StoreSettings): StoreAdapter;
}

/** Loads what each kind of store needs. A driver is loaded at the first use, so that a lane loads no driver that it does not use. */
const LOADERS: Readonly<Record<StoreKindName, () => Promise<LoadedStore>>> = {
  sqlite: async () => {
    const { SqliteAdapter, stores } = await import("./sqlite/index.ts");
    return { stores, open: ({ url, ...settings }) => new SqliteAdapter({ file: url, ...common(settings), ...tables(settings) }) };
  },
  postgres: async () => {
    const { PostgresAdapter, stores } = await import("./postgres/index.ts");
    return { stores, open: ({ url, ...settings }) => new PostgresAdapter({ url, ...common(settings), ...tables(settings) }) };
  },
  mysql: async () => {
    const { MysqlAdapter, stores } = await import("./mysql/index.ts");
    return { stores, open: ({ url, ...settings }) => new MysqlAdapter({ url, ...common(settings), ...tables(settings) }) };
  },
  redis: async () => {
    const { RedisAdapter, stores } = await import("./redis/index.ts");
    return {
      stores,
      open: ({ url, isolation, ...settings }) =>
        new RedisAdapter({
          url,
          ...common(settings),
          ...given({ isolation: isolation as "server" | undefined, keys: settings.tables }),
        }),
    };
  },
};

/** Returns the provider module of a kind of store. */
export async function loadStores(kind: StoreKindName): Promise<StoreKind> {
  return (await LOADERS[kind]()).stores;
}

/** Returns the adapter of a configured store. It is not open yet. */
export async function createAdapter(settings: StoreSettings): Promise<StoreAdapter> {
  const { kind, module, adapter = "", ...given } = settings;
  if (kind !== undefined) return (await LOADERS[kind]()).open(settings);
  return openModule(storeModuleOf(defaultOf((await import(module!)) as Record<string, unknown>)), adapter, given);
}

/**
 * Makes the adapter of a store by a module of the user. `adapter`: the module as the configuration names it.
 * @throws SeqqaError `STORE_ADAPTER_INVALID` with exit status 2
 */
export async function openModule(module: StoreModule | undefined, adapter: string, settings: StoreModuleSettings): Promise<StoreAdapter> {
  const where = `${adapter}, which systems.${settings.name}.adapter names,`;
  if (module === undefined) {
    throw invalid(`${where} exports no store: its default export is neither a function nor an object with the function open.`);
  }
  let made: unknown;
  try {
    made = await module.open(settings);
  } catch (cause) {
    if (cause instanceof SeqqaError) throw cause;
    throw invalid(`${where} threw when its adapter was made: ${cause instanceof Error ? cause.message : String(cause)}.`, cause);
  }
  const lack = lackOfAdapter(made);
  if (lack !== undefined) throw invalid(`${where} makes no StoreAdapter: what it returns ${lack}.`);
  return made as StoreAdapter;
}

function invalid(message: string, cause?: unknown): SeqqaError {
  return new SeqqaError("STORE_ADAPTER_INVALID", message, {
    exitStatus: 2,
    hint: "Write: export default (settings: StoreModuleSettings): StoreAdapter => new MyStore(settings).",
    cause,
  });
}

function common({
  checkpoint,
  ignore,
}: Pick<StoreSettings, "checkpoint" | "ignore">): Given<{ checkpoint: "auto"; ignore: readonly string[] }> {
  return given({ checkpoint: checkpoint as "auto" | undefined, ignore });
}

function tables({ tables: named, symmetric }: Pick<StoreSettings, "tables" | "symmetric">): Given<{
  tables: readonly string[];
  symmetric: readonly string[];
}> {
  return given({ tables: named, symmetric });
}

type Given<T> = { readonly [key in keyof T]?: Exclude<T[key], undefined> };

/** Returns an object without its `undefined` members. */
function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}
