import type { Awaitable, StoreAdapter } from "./store-adapter.ts";
import type { StoreKind } from "./store-provider.ts";

/** The settings of a store under `systems.<name>` of the configuration, as the module that `adapter` names receives them. */
export interface StoreModuleSettings {
  /** The name of the store: `search` for `systems.search`. */
  readonly name: string;
  /** The URL of the store, with its password; of a lane's own copy if the module has a provider. */
  readonly url: string;
  /** The URL by which the target reaches the store, where the provider gave another one. Default: `url`. */
  readonly targetUrl?: string | undefined;
  /** `options` of the configuration, as they were written. */
  readonly options?: unknown;
  readonly checkpoint: string | undefined;
  readonly isolation: string | undefined;
  readonly tables: readonly string[] | undefined;
  readonly ignore: readonly string[] | undefined;
  readonly symmetric: readonly string[] | undefined;
}

/**
 * The default export of a module that `systems.<name>.adapter` names: such an object, or its function `open` alone. The module is loaded in the thread
 * of each lane and in the main thread.
 */
export interface StoreModule {
  /** Makes the adapter, and connects nothing: {@link StoreAdapter.open} does that. The run calls it once on the main thread, to look at its methods. */
  open(settings: StoreModuleSettings): Awaitable<StoreAdapter>;
  /**
   * Works on the main thread. With `createProvider` each lane has a copy of its own, and the store of the configuration is a template; without it the
   * store is used where it is, by one lane. `check` is for `seqqa doctor`, `clean` for `seqqa clean`. Default: none of them.
   */
  readonly stores?: Partial<StoreKind> | undefined;
}

/** The methods that each adapter of a store has. */
const METHODS = ["open", "root", "mark", "changed", "restore", "observe", "dump", "close"] as const satisfies (keyof StoreAdapter)[];

/** Returns the default export of a module as a {@link StoreModule}; `undefined` if it is none. */
export function storeModuleOf(exported: unknown): StoreModule | undefined {
  if (typeof exported === "function") return { open: exported as StoreModule["open"] };
  const module = exported as Partial<StoreModule> | null | undefined;
  return typeof module === "object" && typeof module?.open === "function" ? (module as StoreModule) : undefined;
}

/** Returns what a value lacks to be an adapter of a store, in words; `undefined`: nothing. */
export function lackOfAdapter(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return `is ${value === null ? "null" : typeof value}, not an object`;
  const given = value as Partial<StoreAdapter>;
  const missing: string[] = METHODS.filter((name) => typeof given[name] !== "function").map((name) => `${name}()`);
  if (typeof given.name !== "string") missing.push("name");
  if (typeof given.traits !== "object") missing.push("traits");
  return missing.length === 0 ? undefined : `lacks ${missing.join(", ")}`;
}
