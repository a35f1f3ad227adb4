import type * as RunModule from "../../run/index.ts";
import type { Config } from "../../config/index.ts";
import type { ExplorationEvent } from "../../engine/events.ts";
import type { ExplorationResult } from "../../model/results/result.ts";
import type { ReplayResult } from "../../model/results/replay.ts";
import type { SeqqaError } from "../../model/errors.ts";
import type { StoreCheck } from "../../model/stores/store-provider.ts";
import type { ExplorationKeeper } from "../../run-log/index.ts";
import type {
  DescribedExploration,
  DistributeInput,
  Distribution,
  FoundJourneys,
  JourneyRun,
  ReplayFileInput,
  ResumableInput,
  RunJourneysInput,
  UnusableFile,
  WorkInput,
} from "../../run/index.ts";

export interface ExploreFileInput {
  /** The exploration file. */
  readonly entry: string;
  readonly config: Config;
  /** The name of the exploration when the agent has none. */
  readonly name: string;
  /** Aborting it ends the exploration with stopReason `interrupted`. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: ExplorationEvent) => void;
  /** Explores only what has this text in its name. */
  readonly only?: string | undefined;
  /** Ids of findings that do not stop the run at the first violation. */
  readonly known?: ReadonlySet<string> | undefined;
  /** Records what the exploration commits. */
  readonly keep?: ExplorationKeeper | undefined;
  /** The shard, for example `2/4`, if several runs divide the states between them. */
  readonly shard?: string | undefined;
  /** Expands nodes on workers. */
  readonly distribution?: Distribution | undefined;
}

/** Explores what one file declares; returns `undefined` when `only` leaves the file out. @throws SeqqaError */
export type ExploreFile = (input: ExploreFileInput) => Promise<ExplorationResult | undefined>;

/** Executes a path of what one file declares. @throws SeqqaError */
export type ReplayFile = (input: ReplayFileInput) => Promise<ReplayResult>;

/** Does the work of a run while its services are up; returns `undefined` when it was interrupted before. @throws SeqqaError */
export type WithServices = <T>(
  config: Config,
  options: { readonly signal: AbortSignal; readonly onProblem: (error: SeqqaError) => void },
  work: () => Promise<T>,
) => Promise<T | undefined>;

/** The operations that the commands start. Tests replace them. */
export interface Machinery {
  readonly exploreFile: ExploreFile;
  /** Offers a run to workers. @throws SeqqaError */
  readonly distribute: (input: DistributeInput) => Promise<Distribution>;
  /** Works on the run of another process. @throws SeqqaError */
  readonly work: (input: WorkInput) => Promise<void>;
  /** Returns the finished files of a run that is resumed. @throws SeqqaError if it cannot be resumed */
  readonly checkResumable: (input: ResumableInput) => Promise<ReadonlySet<string>>;
  /** Loads the functions that join shards. */
  readonly merging: () => Promise<Pick<typeof RunModule, "mergeExplorations" | "refuseDamaged" | "checkShards">>;
  readonly replayFile: ReplayFile;
  readonly withServices: WithServices;
  /** The exploration files below a directory, as absolute paths, in a stable order. */
  readonly discover: (directory: string) => Promise<readonly string[]>;
  /** Returns the explorations that files declare. */
  readonly describeExplorations: (
    files: readonly string[],
  ) => Promise<{ readonly explorations: readonly DescribedExploration[]; readonly unusable: readonly UnusableFile[] }>;
  /** The journeys of the folder next to the config file. */
  readonly findJourneys: (config: Config) => Promise<FoundJourneys>;
  readonly runJourneys: (input: RunJourneysInput) => Promise<readonly JourneyRun[]>;
  /** Checks the modules of store adapters that the configuration names. @throws SeqqaError with exit status 2 */
  readonly checkStoreModules: (config: Config) => Promise<void>;
  /** Returns the default export of a module of the user. */
  readonly loadExtension: typeof RunModule.loadUserExport;
  readonly demoDirectory: () => string;
  /** Checks everything that a run needs. */
  readonly doctor: (config: Config) => Promise<readonly StoreCheck[]>;
  /** Removes leftovers of dead runs, or lists them. */
  readonly clean: typeof RunModule.clean;
}
