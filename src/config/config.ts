import type { StoreKindName } from "../adapters/store-kinds.ts";
import type { FaultKind, RaceDelivery } from "../model/results/result.ts";
import type { Severity } from "../model/declare/severity.ts";
import type { SearchSettings } from "../model/declare/search/search-settings.ts";

/** One part of `target.warm_up`: a request, given by its method, path and body, or a shell command. */
export interface WarmUpStep {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly json: unknown;
  readonly command: string | undefined;
}

export interface SystemConfig {
  /** The kind of store, for example `postgres`. `undefined` if `adapter` is set, because only that adapter knows the kind. */
  readonly kind: StoreKindName | undefined;
  /** The package name, or the absolute path of the module, that provides the adapter. `undefined` if the store uses one of seqqa's own adapters. */
  readonly adapter: string | undefined;
  readonly options: unknown;
  /** The URL of the store as the user wrote it, but with an absolute path for SQLite files. */
  readonly url: string;
  readonly checkpoint: string | undefined;
  readonly isolation: string | undefined;
  readonly tables: readonly string[] | undefined;
  readonly ignore: readonly string[] | undefined;
  readonly symmetric: readonly string[] | undefined;
}

/** The settings for starting the target of each lane: as a process by `command`, or in this process by `module`. Exactly one of the two is set. */
export interface TargetConfig {
  readonly command: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** The working directory of the target, as an absolute path. Default: the folder of the configuration file. */
  readonly cwd: string;
  readonly ready: string;
  /** The time limit in seconds for the target to answer its first request. */
  readonly readyTimeout: number;
  /** Requests (`GET /health`) and commands that run once the target answers, before the exploration. `undefined` if there are none. */
  readonly warmUp: readonly (string | WarmUpStep)[] | undefined;
  readonly rollback: "stores" | "restart";
  /** The absolute path of the module that exports the target. */
  readonly module: string | undefined;
  /** The time in seconds to wait for late writes after each answer. */
  readonly settle: number;
  /** The time in seconds for which seqqa watches the stores without sending requests, after it has found a write that no step explains. */
  readonly idleWatch: number;
  /** `true` if seqqa keeps a spare target running after a lane was lost. */
  readonly standby: boolean;
}

export interface LaneConfig {
  readonly baseUrl: string;
  readonly dbUrl: string | undefined;
  /** The stores of this lane by name. If the lane sets `db_url`, its store has the name `db`. */
  readonly systems: Readonly<Record<string, SystemConfig>>;
}

/** The rules for repeating failed requests. All times are in seconds. */
export interface RetryConfig {
  /** The maximum number of times that a request is sent, including the first time. */
  readonly maxAttempts: number;
  readonly delay: number;
  readonly backoffMultiplier: number;
  readonly maxDelay: number;
  readonly retryOnStatus: readonly number[];
}

export interface TlsConfig {
  /** The absolute path of a file with CA certificates. */
  readonly caFile: string | undefined;
  readonly ca: readonly string[];
}

/** A process that is started once per run, before the targets. */
export interface ServiceConfig {
  readonly name: string;
  /** A shell command line. Its environment is seqqa's own plus `env`. */
  readonly command: string;
  /**
   * The URL (or, if `env` sets `PORT`, the path) that is polled until the service gives any HTTP answer. `undefined`: seqqa does not wait for the
   * service.
   */
  readonly ready: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** The time limit in seconds for the service to answer. */
  readonly readyTimeout: number;
}

export interface RacesConfig {
  readonly mode: "off" | "pairs";
  readonly trials: number;
  readonly delivery: "auto" | RaceDelivery;
  readonly copies: number;
  /** The time limit in seconds for all races of an exploration. */
  readonly maxTime: number | undefined;
}

export interface FaultsConfig {
  readonly mode: "off" | "on";
  readonly kinds: readonly FaultKind[];
  /** The time limit in seconds for all faults of an exploration. */
  readonly maxTime: number | undefined;
  readonly bestEffort: readonly string[];
}

export interface ExplorationConfig extends SearchSettings {
  readonly continueAfterViolation: boolean;
  readonly requireAllActions: boolean;
  readonly serverErrors: "violation" | "ignore";
  readonly races: RacesConfig;
  readonly faults: FaultsConfig;
  /** The maximum number of requests per second, over all lanes together. */
  readonly rateLimit: number | undefined;
}

/** The coverage that a run measures in addition to its results. */
export interface CoverageConfig {
  /** The absolute path or the URL of an OpenAPI description. */
  readonly openapi: string | undefined;
  /** `true` if the lines and branches of the target's code are counted. */
  readonly code: boolean;
  /** Globs of the files that are counted, relative to the folder of the configuration. Default: all files below `target.cwd`. */
  readonly include: readonly string[] | undefined;
  /** Globs of files that are not counted. */
  readonly exclude: readonly string[] | undefined;
}

export interface ReportConfig {
  /** The names of built-in report formats, and the absolute paths of modules with the user's own formats. */
  readonly formats: readonly string[];
  /** The absolute path of the folder for reports and the run log. */
  readonly outputDir: string;
  readonly includeRequestResponse: boolean;
  /**
   * The template of URLs that open a line of the user's code in an editor, with `{file}`, `{line}` and `{column}`. `none`: reports have no such
   * links.
   */
  readonly editor: string;
  /** The names of headers and JSON fields whose values are hidden in reports, in lower case. */
  readonly redact: readonly string[];
}

/** The complete configuration, checked and with all defaults. It is frozen plain data, so it can be sent to worker threads. */
export interface Config {
  /** The URL of the target, without a trailing slash. If `target` is set, reports show this URL instead of the URLs of the lanes. */
  readonly baseUrl: string | undefined;
  /** The time limit in seconds for one attempt to send a request and receive its answer. */
  readonly timeout: number;
  readonly tls: TlsConfig;
  /** `environment`: requests use the proxies that environment variables such as `HTTPS_PROXY` name. */
  readonly proxy: "none" | "environment";
  readonly dbUrl: string | undefined;
  readonly dbBackend: StoreKindName | undefined;
  /** All declared stores by name. The store that `db_url` declares has the name `db`. */
  readonly systems: Readonly<Record<string, SystemConfig>>;
  readonly target: TargetConfig | undefined;
  readonly lanes: readonly LaneConfig[];
  readonly services: readonly ServiceConfig[];
  readonly composeFile: string | undefined;
  readonly retry: RetryConfig | undefined;
  readonly exploration: ExplorationConfig;
  /** The number of lanes. The value `auto` is already replaced by a number. */
  readonly parallel: number;
  readonly coverage: CoverageConfig | undefined;
  readonly report: ReportConfig;
  readonly failOnSeverity: Severity | "none";
  /** The absolute path of the file that lists known findings. */
  readonly knownFindings: string | undefined;
  /** The folder of the configuration file, or the current folder if there is no file. Relative paths are resolved against this folder. */
  readonly folder: string;
  readonly file: string | undefined;
  /**
   * The origin of each value that the user set, for example `file seqqa.yaml:3:5`, by its key, for example `exploration.max_steps`. See {@link
   * sourceOf}.
   */
  readonly sources: Readonly<Record<string, string>>;
  /** The names of stores that the user allows seqqa to write, by the flag `--allow-db` or the environment variable `SEQQA_ALLOW_DB`. */
  readonly allowedStores: readonly string[];
}
