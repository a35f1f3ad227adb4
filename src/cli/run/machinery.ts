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
  /** What it is called when the agent has no name. */
  readonly name: string;
  /** Aborting it ends the exploration with stopReason `interrupted`. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: ExplorationEvent) => void;
  /** Part of the names of the explorations that are wanted. */
  readonly only?: string | undefined;
  /** Ids of findings that are no reason to stop at the first violation. */
  readonly known?: ReadonlySet<string> | undefined;
  /** Writes down what the exploration commits. */
  readonly keep?: ExplorationKeeper | undefined;
  /** As `2/4`: this is one of several runs that share the states out. */
  readonly shard?: string | undefined;
  /** Nodes are expanded by workers. */
  readonly distribution?: Distribution | undefined;
}

/** Explores what one file declares; `undefined` when `only` leaves it out. @throws SeqqaError */
export type ExploreFile = (input: ExploreFileInput) => Promise<ExplorationResult | undefined>;

/** Executes a path of what one file declares. @throws SeqqaError */
export type ReplayFile = (input: ReplayFileInput) => Promise<ReplayResult>;

/** Does the work of a run while its services are up; `undefined` when it was interrupted before. @throws SeqqaError */
export type WithServices = <T>(
  config: Config,
  options: { readonly signal: AbortSignal; readonly onProblem: (error: SeqqaError) => void },
  work: () => Promise<T>,
) => Promise<T | undefined>;

/** What the commands set in motion. Tests put their own in its place. */
export interface Machinery {
  readonly exploreFile: ExploreFile;
  /** Offers a run to workers. @throws SeqqaError */
  readonly distribute: (input: DistributeInput) => Promise<Distribution>;
  /** Works on the run of another process. @throws SeqqaError */
  readonly work: (input: WorkInput) => Promise<void>;
  /** Which files of a run that goes on are over. @throws SeqqaError where it cannot go on */
  readonly checkResumable: (input: ResumableInput) => Promise<ReadonlySet<string>>;
  /** What joins shards. */
  readonly merging: () => Promise<Pick<typeof RunModule, "mergeExplorations" | "refuseDamaged" | "checkShards">>;
  readonly replayFile: ReplayFile;
  readonly withServices: WithServices;
  /** The exploration files below a directory, as absolute paths, in a stable order. */
  readonly discover: (directory: string) => Promise<readonly string[]>;
  /** What exploration files declare. */
  readonly describeExplorations: (
    files: readonly string[],
  ) => Promise<{ readonly explorations: readonly DescribedExploration[]; readonly unusable: readonly UnusableFile[] }>;
  /** The journeys of the folder next to the config file. */
  readonly findJourneys: (config: Config) => Promise<FoundJourneys>;
  readonly runJourneys: (input: RunJourneysInput) => Promise<readonly JourneyRun[]>;
  readonly demoDirectory: () => string;
  /** What a run needs, checked. */
  readonly doctor: (config: Config) => Promise<readonly StoreCheck[]>;
  /** Removes what dead runs left, or says what there is. */
  readonly clean: typeof RunModule.clean;
}
