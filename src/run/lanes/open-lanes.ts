import { availableParallelism } from "node:os";
import { pathToFileURL } from "node:url";
import { loadStores } from "../../adapters/load-store.ts";
import type { Config } from "../../config/index.ts";
import type { LanePool } from "../../engine/lane-pool.ts";
import { buildLane } from "../../lane-pools/build-lane.ts";
import { InlineLanePool } from "../../lane-pools/inline/inline-lane-pool.ts";
import type * as ThreadPools from "../../lane-pools/threads/thread-lane-pool.ts";
import { WatchedLanePool } from "../../lane-pools/watched-lane-pool.ts";
import { longestWatchMs, type LaneOptions } from "../../lane/index.ts";
import { bundle } from "../../loader/index.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { SeqqaError } from "../../model/errors.ts";
import { NOTHING_KNOWN, opaqueTokens } from "../../state/index.ts";
import { spareCount, TargetHost, type TargetHostOptions } from "../../targets/index.ts";
import { idleMsOf } from "../explore/idle-watch.ts";
import { httpSettings } from "../prepare/http-settings.ts";
import { loadStoreModule } from "../prepare/store-modules.ts";
import type { UserModule } from "../prepare/user-module.ts";
import { closeAfter } from "./close-after.ts";

/** The description of the lanes that a run needs. The number of lanes is `config.parallel`. */
export interface LanesInput {
  readonly config: Config;
  readonly definition: AgentDefinition<never, never>;
  /** The bundle of the user's code. Required for more than one lane, because other threads import the bundle. */
  readonly module?: UserModule | undefined;
  /** The directory for bundled user code. */
  readonly directory: string;
  readonly signal: AbortSignal | undefined;
  readonly settings: LaneSettings;
  /** `true` if lanes with `rollback: restart` get standby copies. Default: `false`. */
  readonly spares?: boolean;
  /** The folder for the targets' output. Default: output is not kept. */
  readonly output?: TargetHostOptions["output"];
  /** The folder for the targets' coverage. Default: coverage is not measured. */
  readonly coverage?: string | undefined;
  /**
   * The data that the user's `setup` created on the run's first lane, if that lane is in another process. Encoded if this process has several lanes.
   */
  readonly shared?: unknown;
}

/** Settings for all lanes of a run that do not come from the configuration. */
export interface LaneSettings extends Pick<
  LaneOptions,
  "dataSeed" | "shapes" | "gated" | "faulty" | "probes" | "earlierClocksMs" | "operations"
> {
  /** String literals of the user's own code. Equal values in states count as constants, not as generated values. */
  readonly literals?: readonly string[] | undefined;
  /** The time of the root state, in milliseconds since 1970. Default: the present time. */
  readonly clockMs?: number;
  /** `true` to leave bodies of requests and answers out of results. Default: as configured by `report.include_request_response`. */
  readonly hideBodies?: boolean;
}

/** The lanes of this process, with their targets and stores. */
export interface Lanes {
  readonly host: TargetHost;
  readonly lanePool: LanePool;
  /**
   * The lane pool of a run with one lane, which runs in this thread. This pool can wait for the user before each step. `undefined` if there are
   * several lanes.
   */
  readonly inline: InlineLanePool | undefined;
  readonly options: LaneOptions;
  /** Closes the lanes, targets and stores. @throws SeqqaError if the user's data could not be restored */
  close(): Promise<void>;
}

/** Prepares lanes, which `lanePool.start()` then starts. @throws SeqqaError if this number of lanes is impossible with the world or its stores */
export async function openLanes(input: LanesInput): Promise<Lanes> {
  refuseLanesWithoutModule(input);
  const { config, definition, directory, signal, output, coverage } = input;
  const lanes = config.parallel;
  // A `world` that is an object and not a function can be used by only one lane, so it allows no standby lanes.
  const hasSpares = input.spares === true && typeof definition.world !== "object";
  const spares = hasSpares ? spareCount(config, { cores: availableParallelism(), lanes }) : 0;
  // One lane needs no threads. Do not import the code for threads then, because its packages take long to load.
  const threads = lanes === 1 ? undefined : await import("../../lane-pools/threads/thread-lane-pool.ts");
  const host = await openHost(config, { directory, lanes, spares, signal, output, coverage, faulty: input.settings.faulty });
  const options = laneOptions(config, input.settings);
  const pool = threads === undefined ? inlinePool(input, host, options) : threadPool(threads, input, host, options);
  const lanePool = new WatchedLanePool(pool, host);
  return {
    host,
    lanePool,
    inline: pool instanceof InlineLanePool ? pool : undefined,
    options,
    close: async () => {
      try {
        await lanePool.close();
      } finally {
        await host.close();
      }
    },
  };
}

/**
 * Calls `work` with new lanes, and closes the lanes afterwards. If `work` and the closing both fail, the thrown error contains both messages.
 * @throws SeqqaError
 */
export async function withLanes<T>(input: LanesInput, work: (lanes: Lanes) => Promise<T>): Promise<T> {
  const lanes = await openLanes(input);
  try {
    return await closeAfter(
      () => work(lanes),
      () => lanes.lanePool.close(),
    );
  } finally {
    await lanes.host.close();
  }
}

/** Prepares the targets and stores of lanes. @throws SeqqaError if this number of lanes is impossible */
export async function openHost(
  config: Config,
  {
    directory,
    ...options
  }: Pick<TargetHostOptions, "spares" | "signal" | "output" | "coverage" | "faulty"> & {
    readonly directory: string;
    readonly lanes: number;
  },
): Promise<TargetHost> {
  const host = await TargetHost.create(config, {
    bundleModule: async (file) => pathToFileURL((await bundle(file, { outDir: directory })).file).href,
    cloneStore: async (source, target) => (await import("../../adapters/sqlite/index.ts")).cloneSqliteFile(source, target),
    storeKind: loadStores,
    storeModule: (adapter, settings, folder) => loadStoreModule(adapter, settings, { folder, directory }),
    ...options,
  });
  const impossible = options.lanes > 1 ? host.canMakeLanes(options.lanes) : undefined;
  if (impossible === undefined) return host;
  await host.close();
  throw impossible;
}

function inlinePool({ config, definition, shared }: LanesInput, host: TargetHost, options: LaneOptions): InlineLanePool {
  const http = httpSettings(config);
  return new InlineLanePool({
    definition,
    host,
    options,
    shared,
    hangMs: hangMsOf(config),
    build: (own, spec, changed, made) => buildLane({ definition: own, options: changed, http, processes: host }, spec, made),
  });
}

function threadPool(
  { ThreadLanePool }: typeof ThreadPools,
  { config, definition, module, shared }: LanesInput,
  host: TargetHost,
  options: LaneOptions,
): ThreadPools.ThreadLanePool {
  return new ThreadLanePool({
    lanes: config.parallel,
    // Each lane gets two pieces of work at a time, so that it need not wait for the main thread between them.
    depth: 2,
    host,
    bundle: module!.bundle,
    exportName: module!.exportName,
    options,
    http: httpSettings(config),
    setUp: definition.setup !== undefined || Object.keys(definition.users).length > 0 || options.isWarmedUp === true,
    shared: shared as string | undefined,
    hangMs: hangMsOf(config),
  });
}

/** Returns the options of lanes, from the configuration and from settings that do not come from it. */
export function laneOptions(config: Config, { literals = [], clockMs, hideBodies, ...settings }: LaneSettings): LaneOptions {
  return {
    ...settings,
    clockMs: clockMs ?? Date.now(),
    settleMs: (config.target?.settle ?? 0) * 1000,
    serverErrors: config.exploration.serverErrors,
    hideBodies: hideBodies ?? !config.report.includeRequestResponse,
    literals: literals.flatMap((literal) => [...opaqueTokens(literal)]),
    knowledge: NOTHING_KNOWN,
    idleWatchMs: idleMsOf(config),
    isWarmedUp: (config.target?.warmUp ?? []).length > 0,
    allowedStores: config.allowedStores,
  };
}

/** Returns after how many milliseconds without a heartbeat a lane counts as hanging: longer than a lane may wait for its target. */
export function hangMsOf(config: Config): number {
  const { settle = 0, readyTimeout = 0, warmUp = [] } = config.target ?? {};
  // A restart waits until the target is ready, and then for each step of `warm_up`.
  // A second passes before idle stores are watched.
  const waitsMs = 1000 * (settle + readyTimeout * (1 + warmUp.length) + 1) + longestWatchMs(idleMsOf(config));
  return Math.max(60_000, 2 * longestRequestMs(config), longestRequestMs(config) + waitsMs);
}

/** Returns the number of milliseconds that a request takes at most, with all its retries. */
function longestRequestMs({ timeout, retry }: Config): number {
  const attempts = retry?.maxAttempts ?? 1;
  return 1000 * (timeout * attempts + (retry?.maxDelay ?? 0) * (attempts - 1));
}

/**
 * Checks that a run with several lanes has a module and a world factory.
 * @throws SeqqaError `LANES_NEED_MODULE` or `LANES_NEED_FACTORY` with exit status 2
 */
function refuseLanesWithoutModule({ config, definition, module }: LanesInput): void {
  if (config.parallel === 1) return;
  if (module === undefined) {
    throw new SeqqaError(
      "LANES_NEED_MODULE",
      `\`parallel\` is ${config.parallel}, but explore() was called without \`module\`, so other threads cannot load the exploration.`,
      {
        exitStatus: 2,
        hint: "Pass `module: import.meta.url` in the file that exports the agent, or explore with seqqa run.",
      },
    );
  }
  if (definition.world !== undefined && typeof definition.world !== "function") {
    throw new SeqqaError(
      "LANES_NEED_FACTORY",
      definition.graph === undefined
        ? `\`parallel\` is ${config.parallel}, but the Agent's world is a single World, which only one lane can use.`
        : `\`parallel\` is ${config.parallel}, but explore() was given one client, or the graph one World, which only one lane can use.`,
      {
        exitStatus: 2,
        hint: "Write world: (lane) => new World({ ... }), so that each lane gets its own World. Or set `parallel` to 1.",
      },
    );
  }
}
