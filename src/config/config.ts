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

export interface SystemConfig {
  /** The kind of store. `undefined` if `adapter` is set, because only that adapter knows the kind. */
  readonly kind: StoreKindName | undefined;
  /** The package, or the absolute path of the module, that provides the adapter. `undefined` if seqqa's own adapter is chosen by the URL. */
  readonly adapter: string | undefined;
  readonly options: unknown;
  /** The URL as written, except that a relative path (of SQLite, or of a stub's description) is resolved against the folder of the file. */
  readonly url: string;
  readonly checkpoint: string | undefined;
  readonly isolation: string | undefined;
  readonly tables: readonly string[] | undefined;
  readonly ignore: readonly string[] | undefined;
  readonly symmetric: readonly string[] | undefined;
}

/** How the target is started for each lane: as a process by `command`, or in this process by `module`. Exactly one of the two is set. */
export interface TargetConfig {
  readonly command: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path. Default: the folder of the file. */
  readonly cwd: string;
  readonly ready: string;
  /** Time limit in seconds. */
  readonly readyTimeout: number;
  /** Requests (`GET /health`) and commands that run after the target answers. `undefined` if there are none. */
  readonly warmUp: readonly (string | WarmUpStep)[] | undefined;
  readonly rollback: "stores" | "restart";
  /** Absolute path. */
  readonly module: string | undefined;
  /** Time to wait for late writes after an answer, in seconds. */
  readonly settle: number;
  /** Time to watch the stores without sending a request, in seconds. It is used after a write that no step explains. */
  readonly idleWatch: number;
  /** `true` if a replacement target is started in advance after a lane was lost. */
  readonly standby: boolean;
}

export interface LaneConfig {
  readonly baseUrl: string;
  readonly dbUrl: string | undefined;
  /** The stores by name. Includes `db` if the lane has a `db_url`. */
  readonly systems: Readonly<Record<string, SystemConfig>>;
}

/** The rules for retries. All times are in seconds. */
export interface RetryConfig {
  /** The number of attempts, including the first one. */
  readonly maxAttempts: number;
  readonly delay: number;
  readonly backoffMultiplier: number;
  readonly maxDelay: number;
  readonly retryOnStatus: readonly number[];
}

export interface TlsConfig {
  /** Absolute path. */
  readonly caFile: string | undefined;
  readonly ca: readonly string[];
}

/** A process that is started once per run, before the targets. */
export interface ServiceConfig {
  readonly name: string;
  /** A shell command line. Its environment is seqqa's own plus `env`. */
  readonly command: string;
  /**
   * The URL that is polled until it returns any HTTP answer. It may be a path if `env` has a PORT. `undefined`: the service counts as ready once it
   * is started.
   */
  readonly ready: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Time limit in seconds. */
  readonly readyTimeout: number;
}

export interface RacesConfig {
  readonly mode: "off" | "pairs";
  readonly trials: number;
  readonly delivery: "auto" | RaceDelivery;
  readonly copies: number;
  /** Time limit in seconds. */
  readonly maxTime: number | undefined;
}

export interface FaultsConfig {
  readonly mode: "off" | "on";
  readonly kinds: readonly FaultKind[];
  /** Time limit in seconds. */
  readonly maxTime: number | undefined;
  readonly bestEffort: readonly string[];
}

export interface ExplorationConfig extends SearchSettings {
  readonly continueAfterViolation: boolean;
  readonly requireAllActions: boolean;
  readonly serverErrors: "violation" | "ignore";
  readonly races: RacesConfig;
  readonly faults: FaultsConfig;
  /** Requests per second, over all lanes together. */
  readonly rateLimit: number | undefined;
}

export interface ReportConfig {
  /** Names of built-in report formats, and absolute paths of the user's own formats. */
  readonly formats: readonly string[];
  /** Absolute path. */
  readonly outputDir: string;
  readonly includeRequestResponse: boolean;
  /** The URL template that opens a line of the user's code, with `{file}`, `{line}` and `{column}`. `none`: reports contain no such links. */
  readonly editor: string;
  /** Names of headers and JSON fields, in lower case. */
  readonly redact: readonly string[];
}

/** The complete configuration, checked and with all defaults. The object is frozen plain data, so it can be sent to threads. */
export interface Config {
  /** The URL without a trailing slash. If `target` is set, reports show this URL instead of the URLs of the lanes. */
  readonly baseUrl: string | undefined;
  /** Time limit for one attempt, in seconds. */
  readonly timeout: number;
  readonly tls: TlsConfig;
  /** `environment`: requests use the proxies that environment variables name. */
  readonly proxy: "none" | "environment";
  readonly dbUrl: string | undefined;
  readonly dbBackend: StoreKindName | undefined;
  /** All declared stores by name. The store of `db_url` has the name `db`. */
  readonly systems: Readonly<Record<string, SystemConfig>>;
  readonly target: TargetConfig | undefined;
  readonly lanes: readonly LaneConfig[];
  readonly services: readonly ServiceConfig[];
  readonly composeFile: string | undefined;
  readonly retry: RetryConfig | undefined;
  readonly exploration: ExplorationConfig;
  /** The number of lanes. `auto` is already replaced by the number of cores, or by the number of running targets if that is smaller. */
  readonly parallel: number;
  readonly report: ReportConfig;
  readonly failOnSeverity: Severity | "none";
  /** Absolute path. */
  readonly knownFindings: string | undefined;
  /** The folder against which relative paths were resolved: the folder of the file, or else the current folder. */
  readonly folder: string;
  readonly file: string | undefined;
  /** The origin of each value that was set, by its key in the file. See {@link sourceOf}. */
  readonly sources: Readonly<Record<string, string>>;
  /** Names of stores that the user allows seqqa to write (`--allow-db`, `SEQQA_ALLOW_DB`). */
  readonly allowedStores: readonly string[];
}
