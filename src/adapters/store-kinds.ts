import type { StoreAdapter } from "../model/stores/store-adapter.ts";
import type { StoreModuleSettings } from "../model/stores/store-module.ts";
import type { StoreKind } from "../model/stores/store-provider.ts";

/** Name of a kind of store. */
export type StoreKindName = "sqlite" | "postgres" | "mysql" | "redis" | "bullmq" | "rabbitmq" | "nats" | "stub" | "clock";

/** A kind of store, loaded with its driver. */
export interface LoadedStore {
  /** Provides, checks and cleans stores of this kind. */
  readonly stores: StoreKind;
  open(settings: StoreModuleSettings): StoreAdapter;
}

/** A kind of store that seqqa has an adapter for. */
export interface StoreKindFacts {
  /** Schemes of its URLs, in lower case, without the colon. Messages show the first one. */
  readonly schemes: readonly [string, ...string[]];
  /** The default port; `undefined` for files. */
  readonly port: string | undefined;
  /** Checkpoints that its adapter supports, beside `auto`. */
  readonly checkpoints: readonly string[];
  /** The checkpoints on which calls can be raced. */
  readonly racing: readonly string[];
  /** The parts that a lane can have for itself, where the user may choose. Default: there is no choice. */
  readonly isolations?: readonly string[];
  /** `true`: the store of a target that already runs cannot be restored. Default: it can. */
  readonly isOnlyCopied?: true;
  /** `true`: the store is part of seqqa, with nobody's data in it. Default: no. */
  readonly isOwn?: true;
  /** Loads the adapter. It is called at the first use, so that a lane loads no driver that it does not use. */
  load(): Promise<LoadedStore>;
}

/** The kinds of stores. A new one is a row here, and a name in {@link StoreKindName}. */
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

/** The settings of a configured store, as its adapter takes them. */
export interface StoreSettings extends StoreModuleSettings {
  /** `undefined`: the adapter is made by `module`. */
  readonly kind: StoreKindName | undefined;
  /** File URL of the module that makes the adapter, if that is no adapter of seqqa. */
  readonly module?: string | undefined;
  /** The module as the configuration names it, for messages. */
  readonly adapter?: string | undefined;
}

/** Returns the kind of store that a URL leads to; `undefined` for a scheme of no store. */
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

/** Returns an object without its `undefined` members. */
function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}
