import type { StoreAdapter } from "../model/stores/store-adapter.ts";
import type { StoreModuleSettings } from "../model/stores/store-module.ts";
import type { StoreKind } from "../model/stores/store-provider.ts";

export type StoreKindName = "sqlite" | "postgres" | "mysql" | "redis" | "bullmq" | "rabbitmq" | "nats" | "stub" | "clock";

/** The adapter and the other functions of a kind of store. seqqa loads this object together with the driver. */
export interface LoadedStore {
  readonly stores: StoreKind;
  open(settings: StoreModuleSettings): StoreAdapter;
}

export interface StoreKindFacts {
  /** The URL schemes of this kind of store, in lower case and without the colon. Messages show only the first scheme of this list. */
  readonly schemes: readonly [string, ...string[]];
  /** The default port; `undefined` for files. */
  readonly port: string | undefined;
  /** The checkpoint modes that the adapter supports, besides `auto`. */
  readonly checkpoints: readonly string[];
  /** The checkpoint modes in which seqqa can send calls at the same time, to find races. */
  readonly racing: readonly string[];
  /** The values that the user can set for `isolation`. Absent if this kind of store does not support the setting `isolation`. */
  readonly isolations?: readonly string[];
  /** `true` if the store cannot be used as an external store, so that lanes always get copies. Default: `false`. */
  readonly isOnlyCopied?: true;
  /** `true` if seqqa itself provides the store (clock, stub), so that it contains no data of the user. Default: `false`. */
  readonly isOwn?: true;
  /** Loads the adapter. seqqa calls this function at first use, so that a lane loads only the drivers that the lane needs. */
  load(): Promise<LoadedStore>;
}

/** All kinds of stores. A new kind needs an entry here and a name in {@link StoreKindName}. */
export const STORE_KINDS: Readonly<Record<StoreKindName, StoreKindFacts>> = {
  sqlite: {
    schemes: ["sqlite"],
    port: undefined,
    checkpoints: ["journal", "copy", "savepoint"],
    racing: ["journal", "copy"],
    load: async () => {
      const { SqliteAdapter, stores } = await import("./sqlite/index.ts");
      return { stores, open: ({ url, ...settings }) => new SqliteAdapter({ file: url, ...common(settings), ...tables(settings) }) };
    },
  },
  postgres: {
    schemes: ["postgresql", "postgres"],
    port: "5432",
    checkpoints: ["journal", "savepoint", "clone"],
    racing: ["journal", "clone"],
    load: async () => {
      const { PostgresAdapter, stores } = await import("./postgres/index.ts");
      return { stores, open: ({ url, ...settings }) => new PostgresAdapter({ url, ...common(settings), ...tables(settings) }) };
    },
  },
  mysql: {
    schemes: ["mysql", "mariadb"],
    port: "3306",
    checkpoints: ["journal", "savepoint", "copy"],
    racing: ["journal", "copy"],
    load: async () => {
      const { MysqlAdapter, stores } = await import("./mysql/index.ts");
      return { stores, open: ({ url, ...settings }) => new MysqlAdapter({ url, ...common(settings), ...tables(settings) }) };
    },
  },
  redis: {
    schemes: ["redis", "rediss"],
    port: "6379",
    checkpoints: ["dump"],
    racing: ["dump"],
    isolations: ["server", "index"],
    load: async () => {
      const { RedisAdapter, stores } = await import("./redis/index.ts");
      return {
        stores,
        open: ({ url, isolation, targetUrl, ...settings }) => {
          const own = given({ isolation: isolation as "server" | undefined, keys: settings.tables, targetUrl });
          return new RedisAdapter({ url, ...common(settings), ...own });
        },
      };
    },
  },
  bullmq: {
    schemes: ["bullmq", "bullmqs"],
    port: "6379",
    checkpoints: ["dump"],
    racing: ["dump"],
    isolations: ["server", "index"],
    load: async () => {
      const { openBullmq, stores } = await import("./queue/bullmq/index.ts");
      return { stores, open: openBullmq };
    },
  },
  rabbitmq: {
    schemes: ["amqp", "amqps"],
    port: "5672",
    checkpoints: ["messages"],
    racing: ["messages"],
    isOnlyCopied: true,
    load: async () => {
      const { openRabbitmq, stores } = await import("./queue/rabbitmq/index.ts");
      return { stores, open: openRabbitmq };
    },
  },
  nats: {
    schemes: ["nats"],
    port: "4222",
    checkpoints: ["messages"],
    racing: ["messages"],
    isOnlyCopied: true,
    load: async () => {
      const { openNats, stores } = await import("./queue/nats/index.ts");
      return { stores, open: openNats };
    },
  },
  stub: {
    schemes: ["stub"],
    port: undefined,
    checkpoints: ["memory"],
    racing: ["memory"],
    isOwn: true,
    load: async () => {
      const { openStub, stores } = await import("./stub/index.ts");
      return { stores, open: openStub };
    },
  },
  clock: {
    schemes: ["clock"],
    port: undefined,
    checkpoints: ["offset"],
    racing: ["offset"],
    isOwn: true,
    load: async () => {
      const { openClock, stores } = await import("./clock/index.ts");
      return { stores, open: openClock };
    },
  },
};

export const STORE_KIND_NAMES: readonly StoreKindName[] = Object.keys(STORE_KINDS) as StoreKindName[];

/** The settings of a configured store that its adapter gets. */
export interface StoreSettings extends StoreModuleSettings {
  /** The kind of store; `undefined` if `module` creates the adapter. */
  readonly kind: StoreKindName | undefined;
  /** The file URL of the module that creates the adapter. `undefined` if the adapter belongs to seqqa. */
  readonly module?: string | undefined;
  /** The module's name in the configuration, for messages. */
  readonly adapter?: string | undefined;
}

/** Returns the kind of store for a URL; `undefined` if its scheme belongs to no store. */
export function storeKindOf(url: string): StoreKindName | undefined {
  const scheme = url.slice(0, url.indexOf(":")).toLowerCase();
  return STORE_KIND_NAMES.find((kind) => STORE_KINDS[kind].schemes.includes(scheme));
}

function common({
  checkpoint,
  ignore,
}: Pick<StoreModuleSettings, "checkpoint" | "ignore">): Given<{ checkpoint: "auto"; ignore: readonly string[] }> {
  return given({ checkpoint: checkpoint as "auto" | undefined, ignore });
}

function tables({ tables: named, symmetric }: Pick<StoreModuleSettings, "tables" | "symmetric">): Given<{
  tables: readonly string[];
  symmetric: readonly string[];
}> {
  return given({ tables: named, symmetric });
}

type Given<T> = { readonly [key in keyof T]?: Exclude<T[key], undefined> };

function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}
