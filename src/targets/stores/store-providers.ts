import type { StoreKind, StoreProvider } from "../../model/stores/store-provider.ts";
import type { StoreKindName } from "../../adapters/store-kinds.ts";
import { copySqliteStores, describeStores, kindOf, requireTemplate, type CloneStore, type LaneStores } from "./lane-stores.ts";
import { isUsedWhereItIs } from "./store-modules.ts";
import type { StoreConfig } from "../target-config.ts";

export interface StoreProvidersOptions {
  /** The declared stores by name: templates, never written. */
  readonly stores: Readonly<Record<string, StoreConfig>>;
  /** The base folder of relative paths. */
  readonly folder: string;
  readonly runId: string;
  /** The run's directory. */
  readonly directory: string;
  readonly claimPort: () => Promise<number>;
  /** `true`: writes of the targets will be made to fail. */
  readonly faulty: boolean;
  /** `true` if a lane gets a new empty SQLite file as `db` where none is declared. */
  readonly empty: boolean;
  readonly clone: CloneStore;
  readonly kind: (kind: Exclude<StoreKindName, "sqlite">) => Promise<StoreKind>;
}

/** Makes the lanes' own copies of all declared stores: SQLite files in the lane's directory, everything else on the server of its template. */
export class StoreProviders {
  readonly #options: StoreProvidersOptions;
  readonly #providers = new Map<string, StoreProvider>();

  constructor(options: StoreProvidersOptions) {
    this.#options = options;
  }

  /** Checks every template before anything is started. @throws SeqqaError `STORE_*` */
  async prepare(): Promise<void> {
    const { stores, folder, runId, directory, claimPort, faulty, kind } = this.#options;
    for (const [name, store] of Object.entries(stores)) {
      if (isUsedWhereItIs(store)) continue;
      const one = store.adapter === undefined ? kindOf(store.url) : undefined;
      if (one === "sqlite") {
        requireTemplate(name, store, folder);
        continue;
      }
      const { url, isolation, options } = store;
      const create = one === undefined ? store.loaded!.stores.createProvider! : (await kind(one)).createProvider;
      const provider = create({ name, url, runId, isolation, directory, claimPort, faulty, ...(options !== undefined && { options }) });
      // Registered before it is ready, so that close() removes what a failed preparation made.
      this.#providers.set(name, provider);
      await provider.prepare();
    }
  }

  /** Makes fresh stores for a lane; `directory` is the lane's. */
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

  /** Identifies the sessions on the servers of all stores. @throws where a server does not answer */
  async sessions(): Promise<string> {
    return (await Promise.all([...this.#providers.values()].map((provider) => provider.session?.() ?? Promise.resolve("")))).join("\n");
  }

  async release(lane: number): Promise<void> {
    await Promise.all([...this.#providers.values()].map((provider) => provider.release(lane)));
  }

  /** Closes all providers, even if one of them fails to clean up, then throws the first failure. */
  async close(): Promise<void> {
    const ended = await Promise.allSettled([...this.#providers.values()].map((provider) => provider.close()));
    for (const one of ended) if (one.status === "rejected") throw one.reason;
  }
}

/** Returns the position in the declaration; undeclared stores come last. */
function order(stores: Readonly<Record<string, StoreConfig>>, name: string): number {
  const at = Object.keys(stores).indexOf(name);
  return at < 0 ? Number.MAX_SAFE_INTEGER : at;
}
