import type { StoreKind, StoreProvider } from "../../model/stores/store-provider.ts";
import type { StoreKindName } from "../../adapters/store-kinds.ts";
import { copySqliteStores, describeStores, kindOf, requireTemplate, type CloneStore, type LaneStores } from "./lane-stores.ts";
import { isUsedWhereItIs } from "./store-modules.ts";
import type { StoreConfig } from "../target-config.ts";

export interface StoreProvidersOptions {
  /** The configured stores by name. seqqa only copies these stores and never writes to them. */
  readonly stores: Readonly<Record<string, StoreConfig>>;
  /** Relative paths in the configuration are relative to this folder. */
  readonly folder: string;
  readonly runId: string;
  readonly directory: string;
  readonly claimPort: () => Promise<number>;
  /** `true` if the run tests faults by making writes of the targets fail. */
  readonly faulty: boolean;
  /** `true` if {@link StoreProviders.provide} is called only once, directly after {@link StoreProviders.prepare}. Default: `false`. */
  readonly single?: boolean;
  /** `true` if lanes get an empty SQLite file as `db` when no `db` is declared. */
  readonly empty: boolean;
  readonly clone: CloneStore;
  readonly kind: (kind: Exclude<StoreKindName, "sqlite">) => Promise<StoreKind>;
}

/**
 * Makes copies of the configured stores for each lane. The copy of a SQLite file is in the lane's directory. Copies of other stores are made by the
 * provider of the kind of store, usually on the server of the configured store.
 */
export class StoreProviders {
  readonly #options: StoreProvidersOptions;
  readonly #providers = new Map<string, StoreProvider>();

  constructor(options: StoreProvidersOptions) {
    this.#options = options;
  }

  /** Checks all configured stores before anything is started. @throws SeqqaError `STORE_*` */
  async prepare(): Promise<void> {
    const { stores, folder, runId, directory, claimPort, faulty, single, kind } = this.#options;
    for (const [name, store] of Object.entries(stores)) {
      if (isUsedWhereItIs(store)) continue;
      const one = store.adapter === undefined ? kindOf(store.url) : undefined;
      if (one === "sqlite") {
        requireTemplate(name, store, folder);
        continue;
      }
      const { url, isolation, options } = store;
      const create = one === undefined ? store.loaded!.stores.createProvider! : (await kind(one)).createProvider;
      const provider = create({
        name,
        url,
        runId,
        isolation,
        directory,
        claimPort,
        faulty,
        single,
        ...(options !== undefined && { options }),
      });
      // Register the provider before its preparation, so that `close()` also removes the remains of a failed preparation.
      this.#providers.set(name, provider);
      await provider.prepare();
    }
  }

  /** Makes new copies of all stores for a lane. @param directory The directory of the lane. */
  async provide(lane: number, generation: number, directory: string): Promise<LaneStores> {
    const { stores, folder, empty, clone } = this.#options;
    const files = await copySqliteStores(stores, folder, directory, empty, clone);
    const made = await Promise.all(
      [...this.#providers].map(async ([name, provider]) => {
        const url = await provider.provide(lane, generation);
        const store = stores[name]!;
        return [
          name,
          { ...store, url, targetUrl: provider.targetUrl?.(url), kind: store.adapter === undefined ? kindOf(store.url) : undefined },
        ] as const;
      }),
    );
    const shared = Object.entries(stores).filter(([, store]) => isUsedWhereItIs(store));
    const environments = made.map(([name, { url }]) => this.#providers.get(name)!.environment?.(url));
    const described = describeStores([...files, ...made, ...shared].toSorted(([a], [b]) => order(stores, a) - order(stores, b)));
    return { ...described, environment: Object.assign({}, ...environments) as Readonly<Record<string, string>> };
  }

  /**
   * Returns a text that identifies the current sessions on the stores' servers. The text changes when a session ends. @throws if a server does not
   * answer
   */
  async sessions(): Promise<string> {
    return (await Promise.all([...this.#providers.values()].map((provider) => provider.session?.() ?? Promise.resolve("")))).join("\n");
  }

  async release(lane: number): Promise<void> {
    await Promise.all([...this.#providers.values()].map((provider) => provider.release(lane)));
  }

  /** Removes all copies of stores. If a removal fails, continues with the other copies, and throws the first error at the end. */
  async close(): Promise<void> {
    const ended = await Promise.allSettled([...this.#providers.values()].map((provider) => provider.close()));
    for (const one of ended) if (one.status === "rejected") throw one.reason;
  }
}

/** Returns the position of a store in the configuration. Stores that are not configured come last. */
function order(stores: Readonly<Record<string, StoreConfig>>, name: string): number {
  const at = Object.keys(stores).indexOf(name);
  return at < 0 ? Number.MAX_SAFE_INTEGER : at;
}
