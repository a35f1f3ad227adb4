import type { StoreKindName } from "../adapters/store-kinds.ts";
import type { FaultKind, RaceDelivery } from "../model/results/result.ts";
import type { Severity } from "../model/declare/severity.ts";
import type { SearchSettings } from "../model/declare/search-settings.ts";

/** A request, given by its parts, or a command. */
export interface WarmUpStep {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly json: unknown;
  readonly command: string | undefined;
}

/** One store behind the API, as declared under `systems.<name>` or, for the name `db`, by `db_url`. */
export interface SystemConfig {
  /** `undefined`: the store is of the kind that `adapter` knows. */
  readonly kind: StoreKindName | undefined;
  /** The package, or the absolute path of the module, that makes the adapter; `undefined`: seqqa's own, by the URL. */
  readonly adapter: string | undefined;
  /** Settings for `adapter`, as they were written. */
  readonly options: unknown;
  /** The URL as it was written, except that a relative SQLite path is resolved against the folder of the file. */
  readonly url: string;
  readonly checkpoint: string | undefined;
  readonly isolation: string | undefined;
  readonly tables: readonly string[] | undefined;
  readonly ignore: readonly string[] | undefined;
  readonly symmetric: readonly string[] | undefined;
}

/** How the target is started, once per lane: as a process by `command`, or in process by `module`. Exactly one of them is set. */
export interface TargetConfig {
  readonly command: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Absolute; default: the folder of the file. */
  readonly cwd: string;
  /** Path or URL that is polled until any HTTP answer comes. */
  readonly ready: string;
  /** Seconds. */
  readonly readyTimeout: number;
  /** Requests (`GET /health`) and commands that run once the target answers; `undefined`: none. */
  readonly warmUp: readonly (string | WarmUpStep)[] | undefined;
  readonly rollback: "stores" | "restart";
  /** Absolute path. */
  readonly module: string | undefined;
  /** Seconds to wait for late writes after an answer. */
  readonly settle: number;
  /** Seconds that stores are watched without a request, after a write that no step explains. */
  readonly idleWatch: number;
  /** `true`: after a lane is lost, a target is started ahead of the next loss. */
  readonly standby: boolean;
}

/** A target that already runs and is one lane's own. */
export interface LaneConfig {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly dbUrl: string | undefined;
  /** Includes `db` when the lane has a `db_url`. */
  readonly systems: Readonly<Record<string, SystemConfig>>;
}

/** Times are in seconds. */
export interface RetryConfig {
  /** All attempts, including the first one. */
  readonly maxAttempts: number;
  readonly delay: number;
  readonly backoffMultiplier: number;
  readonly maxDelay: number;
  readonly retryOnStatus: readonly number[];
}

export interface TlsConfig {
  /** Absolute. */
  readonly caFile: string | undefined;
  /** The certificates in that file, in PEM. */
  readonly ca: readonly string[];
}

/** A process that is started once per run, before the targets. */
export interface ServiceConfig {
  readonly name: string;
  /** A shell command line. Its environment is seqqa's own and `env`. */
  readonly command: string;
  /** URL (or path, if `env` has a PORT) that is polled until any HTTP answer comes. `undefined`: the service is ready once it is started. */
  readonly ready: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Seconds. */
  readonly readyTimeout: number;
}

export interface RacesConfig {
  readonly mode: "off" | "pairs";
  readonly trials: number;
  readonly delivery: "auto" | RaceDelivery;
  readonly copies: number;
  /** Seconds. */
  readonly maxTime: number | undefined;
}

export interface FaultsConfig {
  readonly mode: "off" | "on";
  readonly kinds: readonly FaultKind[];
  /** Seconds. */
  readonly maxTime: number | undefined;
  /** Patterns of tables. */
  readonly bestEffort: readonly string[];
}

export interface ExplorationConfig extends SearchSettings {
  readonly continueAfterViolation: boolean;
  readonly requireAllActions: boolean;
  readonly serverErrors: "violation" | "ignore";
  readonly races: RacesConfig;
  readonly faults: FaultsConfig;
  /** Requests per second over all lanes. */
  readonly rateLimit: number | undefined;
}

export interface ReportConfig {
  /** Names of built-in formats, and absolute paths of the user's. */
  readonly formats: readonly string[];
  /** Absolute. */
  readonly outputDir: string;
  readonly includeRequestResponse: boolean;
  /** URL that opens a line of the user's code, with `{file}`, `{line}` and `{column}`; `none`: reports have no such links. */
  readonly editor: string;
  /** Header names and JSON fields, in lower case. */
  readonly redact: readonly string[];
}

/** The whole configuration: checked, with all defaults filled in. It is plain frozen data, so that it can be sent to threads. */
export interface Config {
  /** The URL without a trailing slash. With `target` it is only the name under which reports show the lanes' URLs. */
  readonly baseUrl: string | undefined;
  /** Seconds per attempt. */
  readonly timeout: number;
  readonly tls: TlsConfig;
  /** `environment`: requests go through the proxies that environment variables name. */
  readonly proxy: "none" | "environment";
  /** The same as `systems.db.url`. */
  readonly dbUrl: string | undefined;
  readonly dbBackend: StoreKindName | undefined;
  /** Every declared store by name; the store of `db_url` has the name `db`. */
  readonly systems: Readonly<Record<string, SystemConfig>>;
  readonly target: TargetConfig | undefined;
  readonly lanes: readonly LaneConfig[];
  readonly services: readonly ServiceConfig[];
  readonly composeFile: string | undefined;
  /** `undefined`: nothing is retried. */
  readonly retry: RetryConfig | undefined;
  readonly exploration: ExplorationConfig;
  /** The number of lanes. `auto` is resolved to the number of cores, or to the number of targets if that is smaller. */
  readonly parallel: number;
  readonly report: ReportConfig;
  readonly failOnSeverity: Severity | "none";
  /** Absolute. */
  readonly knownFindings: string | undefined;
  /** The folder that relative paths were resolved against: the folder of the file, or else the current folder. */
  readonly folder: string;
  /** The file that was read; `undefined` when there is none. */
  readonly file: string | undefined;
  /** The origin of each value that was set, by its key in the file; see {@link sourceOf}. */
  readonly sources: Readonly<Record<string, string>>;
  /** Names of stores that the user permits to be written (`--allow-db`, `SEQQA_ALLOW_DB`). */
  readonly allowedStores: readonly string[];
}
