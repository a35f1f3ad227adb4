import type * as RunModule from "../../run/index.ts";
import type { Config } from "../../config/index.ts";
import type { ReplayResult } from "../../model/results/replay.ts";
import type { StoreCheck } from "../../model/stores/store-provider.ts";
import type {
  DescribedExploration,
  DistributeInput,
  Distribution,
  FoundJourneys,
  ReplayFileInput,
  UnusableFile,
  WorkInput,
} from "../../run/index.ts";
import type { RunEngine } from "../../run/session/run-engine.ts";

/** Executes a path of what one file declares. @throws SeqqaError */
export type ReplayFile = (input: ReplayFileInput) => Promise<ReplayResult>;

/** The operations that the commands start. Tests replace them. */
export interface Machinery extends RunEngine {
  /** Offers a run to workers. @throws SeqqaError */
  readonly distribute: (input: DistributeInput) => Promise<Distribution>;
  /** Works on the run of another process. @throws SeqqaError */
  readonly work: (input: WorkInput) => Promise<void>;
  /** Loads the functions that join shards. */
  readonly merging: () => Promise<Pick<typeof RunModule, "mergeExplorations" | "refuseDamaged" | "checkShards">>;
  readonly replayFile: ReplayFile;
  /** Returns the hash of the code of each file. */
  readonly codeHashes: typeof RunModule.codeHashes;
  /** Executes actions of a file one at a time. @throws SeqqaError */
  readonly walkFile: typeof RunModule.walkFile;
  /** The exploration files below a directory, as absolute paths, in a stable order. */
  readonly discover: (directory: string) => Promise<readonly string[]>;
  /** Returns the explorations that files declare. */
  readonly describeExplorations: (
    files: readonly string[],
  ) => Promise<{ readonly explorations: readonly DescribedExploration[]; readonly unusable: readonly UnusableFile[] }>;
  /** The journeys of the folder next to the config file. */
  readonly findJourneys: (config: Config) => Promise<FoundJourneys>;
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
