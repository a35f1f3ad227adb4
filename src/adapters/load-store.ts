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
  return (await LOADERS[settings.kind]()).open(settings);
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
