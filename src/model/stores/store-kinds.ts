import type { StoreModuleSettings } from "./store-module.ts";

/** Name of a kind of store. A new kind is added here, in {@link STORE_KINDS}, and in `src/adapters/load-store.ts`. */
export type StoreKindName = "sqlite" | "postgres" | "mysql" | "redis";

/** Facts about a kind of store that are needed before its adapter is loaded. */
export interface StoreKindFacts {
  /** Schemes of its URLs, in lower case, without the colon. Messages show the first one. */
  readonly schemes: readonly [string, ...string[]];
  /** The default port; `undefined` for files. */
  readonly port: string | undefined;
  /** Checkpoints that its adapter supports, beside `auto`. */
  readonly checkpoints: readonly string[];
  /** The checkpoints on which calls can be raced. */
  readonly racing: readonly string[];
}

export const STORE_KINDS: Readonly<Record<StoreKindName, StoreKindFacts>> = {
  sqlite: { schemes: ["sqlite"], port: undefined, checkpoints: ["journal", "copy", "savepoint"], racing: ["journal", "copy"] },
  postgres: {
    schemes: ["postgresql", "postgres"],
    port: "5432",
    checkpoints: ["journal", "savepoint", "clone"],
    racing: ["journal", "clone"],
  },
  mysql: { schemes: ["mysql", "mariadb"], port: "3306", checkpoints: ["journal", "savepoint", "copy"], racing: ["journal", "copy"] },
  redis: { schemes: ["redis", "rediss"], port: "6379", checkpoints: ["dump"], racing: ["dump"] },
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

/**
 * Returns the path in a `sqlite:` URL, as it is written: `sqlite:./a.db`, `sqlite:/abs/a.db`, `sqlite:///abs/a.db` and `sqlite://./a.db` all name files.
 * `undefined` for other URLs and for plain paths.
 */
export function sqlitePathOf(url: string): string | undefined {
  const rest = /^sqlite3?:(.*)$/is.exec(url)?.[1];
  return rest?.startsWith("//") === true ? rest.slice(2) : rest;
}
