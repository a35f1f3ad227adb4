import type { StoreKindName } from "../adapters/store-kinds.ts";
import type { StoreModuleSettings } from "../model/stores/store-module.ts";
import type { StoreKind } from "../model/stores/store-provider.ts";

/** The part of the configuration that describes the target and its stores. This object is plain data, and a subset of `Config` in `src/config`. */
export interface TargetConfig {
  readonly baseUrl?: string | undefined;
  /** Short for `systems.db.url`. */
  readonly dbUrl?: string | undefined;
  readonly target?: StartedTarget | undefined;
  readonly lanes?: readonly ListedLane[] | undefined;
  readonly systems?: Readonly<Record<string, StoreConfig>> | undefined;
  /** Certificates that are trusted in addition to Node's own. */
  readonly tls?: { readonly ca: readonly string[] } | undefined;
  /**
   * `environment`: requests to targets that seqqa does not start use the proxies that environment variables name. Requests to targets that seqqa
   * starts never use a proxy.
   */
  readonly proxy?: "none" | "environment" | undefined;
  /** Relative paths in the configuration are relative to this folder. */
  readonly folder: string;
}

/** A target that seqqa starts once for each lane. */
export interface StartedTarget {
  /**
   * The shell command line that starts the target. The placeholders `{port} {lane} {db_url} {db_path} {url:<name>}` are replaced in the command, in
   * `env` and in `ready`. Parts of the URL of a store have placeholders, too: `{host:<name>}`, or `{db_host}` for the store `db`. The other parts are
   * `port`, `user`, `password` and `database`.
   *
   * The target's environment is seqqa's own environment, the lane's port as PORT, and `env`. If `{port}` is not used, the target has the fixed port
   * of an absolute `ready`, or else of `baseUrl`, and there can be only one lane.
   */
  readonly command?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  /** A path or URL to which seqqa sends requests until it gets an HTTP answer. The target is then ready. Default: `/`. */
  readonly ready?: string | undefined;
  /** The maximum time to wait until the target is ready, in seconds. Default: 30. */
  readonly readyTimeout?: number | undefined;
  /** Requests and commands to execute when the target answers, before seqqa reads its stores. Default: none. */
  readonly warmUp?: readonly WarmUp[] | undefined;
  readonly rollback?: "stores" | "restart" | undefined;
  /** The path of a module that exports `createTarget(lane)`. The module runs in the lane's thread. */
  readonly module?: string | undefined;
  /** The time to wait for late writes after each answer, in seconds. */
  readonly settle?: number | undefined;
  /** `true`: after a lane is lost for the first time, a standby lane is started. The standby lane replaces the next lost lane. Default: `true`. */
  readonly standby?: boolean | undefined;
}

/** A step of `target.warm_up`: a text such as `GET /health`, a request by its parts, or a shell command. */
export type WarmUp =
  | string
  | {
      readonly method?: string | undefined;
      readonly path?: string | undefined;
      /** The request headers. The values of the headers may contain the placeholders of `command`. */
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** The request body, sent as JSON. */
      readonly json?: unknown;
      readonly command?: string | undefined;
    };

export interface ListedLane {
  readonly baseUrl: string;
  readonly dbUrl?: string | undefined;
  readonly systems?: Readonly<Record<string, StoreConfig>> | undefined;
}

export interface StoreConfig {
  readonly url: string;
  /** The URL at which the target reaches the store of its lane. Default: `url`. */
  readonly targetUrl?: string | undefined;
  /** The kind of store. Default: derived from the configured URL. The URL of a lane's copy may have a different scheme. */
  readonly kind?: StoreKindName | undefined;
  /** The package or module that makes the store adapter. Default: seqqa's own adapter for the URL. */
  readonly adapter?: string | undefined;
  /** The loaded module that `adapter` names. The target host sets this property. */
  readonly loaded?: LoadedStoreModule | undefined;
  /** Settings that are passed to `adapter`. */
  readonly options?: unknown;
  readonly checkpoint?: string | undefined;
  readonly isolation?: string | undefined;
  readonly tables?: readonly string[] | undefined;
  readonly ignore?: readonly string[] | undefined;
  readonly symmetric?: readonly string[] | undefined;
}

/** A user's module that creates the store adapter, after it was loaded on the main thread. */
export interface LoadedStoreModule {
  /** The file URL from which lanes' threads import the module. */
  readonly url: string;
  readonly stores: Partial<StoreKind>;
}

/** Loads and checks the module that `systems.<name>.adapter` names. @throws SeqqaError with exit status 2 */
export type LoadStoreModule = (adapter: string, settings: StoreModuleSettings, folder: string) => Promise<LoadedStoreModule>;

export interface TargetHostOptions {
  /** The beginning of the run's id and of its directory's name. Random characters follow. Default: only random characters. */
  readonly runId?: string | undefined;
  /** Bundles `target.module` and returns the file URL to import. Default: the module itself. */
  readonly bundleModule?: ((file: string) => Promise<string>) | undefined;
  /**
   * Copies the SQLite file `source` to `target`, or creates an empty database if `source` is `undefined`. Default: a plain copy, which is refused
   * while another process has the file open.
   */
  readonly cloneStore?: ((source: string | undefined, target: string) => void | Promise<void>) | undefined;
  /** Loads the code for a kind of store. Default: only SQLite files are supported. */
  readonly storeKind?: ((kind: StoreKindName) => Promise<StoreKind>) | undefined;
  /** Loads users' adapter modules. Default: only seqqa's own adapters are supported. */
  readonly storeModule?: LoadStoreModule | undefined;
  /** The number of lanes. Standby copies are numbered after the lanes. Default: 1. */
  readonly lanes?: number | undefined;
  /** Number of standby copies for each lane with `rollback: restart`. Default: 0. */
  readonly spares?: number | undefined;
  /** `true` if the run tests faults by making writes of the targets fail. Default: `false`. */
  readonly faulty?: boolean | undefined;
  /** Aborts waiting for targets. Default: only `ready_timeout` limits the wait. */
  readonly signal?: AbortSignal | undefined;
  /** The folder for the output of targets (`targets/lane-0.log`), and a function that hides secrets in a line. Default: output is not kept. */
  readonly output?: { readonly folder: string; readonly hide: (line: string) => string } | undefined;
  /** The folder to which Node targets write the coverage of their code. Default: no coverage is measured. */
  readonly coverage?: string | undefined;
  /**
   * Parent folder of `seqqa-<uid>`. Default: TMPDIR if it is set, else `/dev/shm` if it has enough space, else the system's folder for temporary
   * files.
   */
  readonly directory?: string | undefined;
}
