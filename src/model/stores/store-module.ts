import type { Awaitable, StoreAdapter } from "./store-adapter.ts";
import type { StoreKind } from "./store-provider.ts";

/** The settings of a store under `systems.<name>` in the configuration. The module that `adapter` names receives them. */
export interface StoreModuleSettings {
  /** The name of the store: `search` for `systems.search`. */
  readonly name: string;
  /** The URL of the store, including its password. If the module has a provider: the URL of the lane's own copy. */
  readonly url: string;
  /** The URL by which the target reaches the store, if the provider gave a different one. Default: `url`. */
  readonly targetUrl?: string | undefined;
  /** The `options` of the configuration, unchanged. */
  readonly options?: unknown;
  readonly checkpoint: string | undefined;
  readonly isolation: string | undefined;
  readonly tables: readonly string[] | undefined;
  readonly ignore: readonly string[] | undefined;
  readonly symmetric: readonly string[] | undefined;
}

/**
 * The default export of a module that `systems.<name>.adapter` names. The default export may also be only the function `open`. seqqa loads the module
 * in the thread of each lane and in the main thread.
 */
export interface StoreModule {
  /** Makes the adapter without connecting; {@link StoreAdapter.open} connects. The main thread also calls it once, to check the adapter's methods. */
  open(settings: StoreModuleSettings): Awaitable<StoreAdapter>;
  /**
   * Functions that the main thread calls. With `createProvider`, each lane gets its own copy, and the configured store is a template. Without
   * `createProvider`, one lane uses the store itself. `seqqa doctor` calls `check`, and `seqqa clean` calls `clean`. Default: none.
   */
  readonly stores?: Partial<StoreKind> | undefined;
}

const METHODS = ["open", "root", "mark", "changed", "restore", "observe", "dump", "close"] as const satisfies (keyof StoreAdapter)[];

/** Returns the default export of a module as a {@link StoreModule}; `undefined` if it has another form. */
export function storeModuleOf(exported: unknown): StoreModule | undefined {
  if (typeof exported === "function") return { open: exported as StoreModule["open"] };
  const module = exported as Partial<StoreModule> | null | undefined;
  return typeof module === "object" && typeof module?.open === "function" ? (module as StoreModule) : undefined;
}

/** Returns a phrase that says why a value is not a store adapter; `undefined` if it is one. */
export function lackOfAdapter(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return `is ${value === null ? "null" : typeof value}, not an object`;
  const given = value as Partial<StoreAdapter>;
  const missing: string[] = METHODS.filter((name) => typeof given[name] !== "function").map((name) => `${name}()`);
  if (typeof given.name !== "string") missing.push("name");
  if (typeof given.traits !== "object") missing.push("traits");
  return missing.length === 0 ? undefined : `lacks ${missing.join(", ")}`;
}
