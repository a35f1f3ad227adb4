import type { StoreKindName } from "../adapters/store-kinds.ts";
import type { StoreModuleSettings } from "../model/stores/store-module.ts";
import type { StoreKind } from "../model/stores/store-provider.ts";

/** The part of the configuration that names what is explored and its stores. Plain data; the `Config` of `src/config` fits. */
export interface TargetConfig {
  readonly baseUrl?: string | undefined;
  /** Short for `systems.db.url`. */
  readonly dbUrl?: string | undefined;
  readonly target?: StartedTarget | undefined;
  readonly lanes?: readonly ListedLane[] | undefined;
  readonly systems?: Readonly<Record<string, StoreConfig>> | undefined;
  /** Certificates that are trusted beside Node's own. */
  readonly tls?: { readonly ca: readonly string[] } | undefined;
  /** `environment`: targets that already run are reached through the proxies of the environment. Targets that seqqa starts are on this machine. */
  readonly proxy?: "none" | "environment" | undefined;
  /** The base folder of relative paths. */
  readonly folder: string;
}

/** A target that seqqa starts, once per lane. */
export interface StartedTarget {
  /**
   * A shell command line. `{port} {lane} {db_url} {db_path} {url:<name>}` are filled in here, in `env` and in `ready`. So are the parts of a store's
   * URL: `{host:<name>}`, `{db_host}`; the same with port, user, password and database. Its environment is seqqa's own, the lane's port as PORT, and
   * `env`. Without any `{port}` the port of an absolute `ready`, else of `baseUrl`, is taken to be fixed, and there can be one lane.
   */
  readonly command?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  /** Path or URL that is polled until any HTTP answer comes; default `/`. */
  readonly ready?: string | undefined;
  /** Seconds; default 30. */
  readonly readyTimeout?: number | undefined;
  /** Requests and commands that run once the target answers, before its stores are observed. Default: none. */
  readonly warmUp?: readonly WarmUp[] | undefined;
  readonly rollback?: "stores" | "restart" | undefined;
  /** A module that exports `createTarget(lane)`; it runs in the lane's own thread. */
  readonly module?: string | undefined;
  /** Seconds. */
  readonly settle?: number | undefined;
  /** `true`: after the first lost lane, a target is started ahead of the next loss. Default `true`. */
  readonly standby?: boolean | undefined;
}

/** `GET /health`, a request by its parts, or a command of the shell. */
export type WarmUp =
  | string
  | {
      readonly method?: string | undefined;
      readonly path?: string | undefined;
      /** Values may contain the placeholders of `command`. */
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** Sent as JSON. */
      readonly json?: unknown;
      readonly command?: string | undefined;
    };

/** A target that already runs. */
export interface ListedLane {
  readonly baseUrl: string;
  readonly dbUrl?: string | undefined;
  readonly systems?: Readonly<Record<string, StoreConfig>> | undefined;
}

export interface StoreConfig {
  readonly url: string;
  /** The URL by which the target reaches a lane's store; the store's provider adds it. Default: `url`. */
  readonly targetUrl?: string | undefined;
  /** Default: by the URL of the template. A lane's own URL may have another scheme. */
  readonly kind?: StoreKindName | undefined;
  /** The package or the module that makes the adapter. Default: seqqa's own, by the URL. */
  readonly adapter?: string | undefined;
  /** `adapter`, loaded; the target host adds it. */
  readonly loaded?: LoadedStoreModule | undefined;
  /** Settings for `adapter`. */
  readonly options?: unknown;
  readonly checkpoint?: string | undefined;
  readonly isolation?: string | undefined;
  readonly tables?: readonly string[] | undefined;
  readonly ignore?: readonly string[] | undefined;
  readonly symmetric?: readonly string[] | undefined;
}

/** A module of the user that makes the adapter of a store, loaded on the main thread. */
export interface LoadedStoreModule {
  /** File URL for the threads of lanes. */
  readonly url: string;
  readonly stores: Partial<StoreKind>;
}

/** Loads and checks the module that `systems.<name>.adapter` names. @throws SeqqaError with exit status 2 */
export type LoadStoreModule = (adapter: string, settings: StoreModuleSettings, folder: string) => Promise<LoadedStoreModule>;

export interface TargetHostOptions {
  /** Beginning of the run directory's name; the rest is random. Default: all of it is random. */
  readonly runId?: string | undefined;
  /** Bundles `target.module` and returns the file URL to import; default: the file itself. */
  readonly bundleModule?: ((file: string) => Promise<string>) | undefined;
  /**
   * Makes `target` a copy of the SQLite file `source`, or a new empty database; default: a plain copy, refused while another process writes to it.
   */
  readonly cloneStore?: ((source: string | undefined, target: string) => void | Promise<void>) | undefined;
  /** Loads the module for a kind of store; without it only SQLite files are supported. */
  readonly storeKind?: ((kind: StoreKindName) => Promise<StoreKind>) | undefined;
  /** Loads the modules of adapters; without it stores have adapters of seqqa only. */
  readonly storeModule?: LoadStoreModule | undefined;
  /** The number of lanes: the numbers of spares follow theirs. Default 1. */
  readonly lanes?: number | undefined;
  /** With `rollback: restart`: spare processes, each on stores of its own, per lane. Default 0. */
  readonly spares?: number | undefined;
  /** `true`: writes of the targets will be made to fail. Default: no. */
  readonly faulty?: boolean | undefined;
  /** Cancels the wait for targets when it is aborted. Default: they are waited for as long as `ready_timeout` allows. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The folder in which the output of targets is kept, as `targets/lane-0.log`, and the function that hides secrets in a line. Default: it is not
   * kept.
   */
  readonly output?: { readonly folder: string; readonly hide: (line: string) => string } | undefined;
  /** Parent folder of `seqqa-<uid>`; default: memory-backed tmp where there is one with space, else the system's tmp. */
  readonly directory?: string | undefined;
}
