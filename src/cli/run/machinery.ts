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

/**
 * Replays a path of an exploration file on a new lane.
 * @throws SeqqaError
 */
export type ReplayFile = (input: ReplayFileInput) => Promise<ReplayResult>;

/** The functions by which commands start their work. Tests replace them. */
export interface Machinery extends RunEngine {
  /**
   * Runs an exploration on the lanes of workers.
   * @throws SeqqaError
   */
  readonly distribute: (input: DistributeInput) => Promise<Distribution>;
  /**
   * Offers the lanes of this process to a run that another process coordinates.
   * @throws SeqqaError
   */
  readonly work: (input: WorkInput) => Promise<void>;
  readonly merging: () => Promise<Pick<typeof RunModule, "mergeExplorations" | "storedFailures" | "refuseDamaged" | "checkShards">>;
  readonly replayFile: ReplayFile;
  readonly codeHashes: typeof RunModule.codeHashes;
  /** Returns a module and the modules that it imports. Returns `undefined` if an import cannot be read. */
  readonly importedFiles: (entry: string) => Promise<readonly string[] | undefined>;
  /**
   * Executes actions of an exploration file one at a time, as the caller chooses them.
   * @throws SeqqaError
   */
  readonly walkFile: typeof RunModule.walkFile;
  /**
   * Starts the bundler while the command still loads its own code, so that the bundler is ready when it is needed. Default: it is not started early.
   */
  readonly startBundler?: () => void;
  /** Returns the exploration files below a directory, as sorted absolute paths. */
  readonly discover: (directory: string) => Promise<readonly string[]>;
  readonly describeExplorations: (
    files: readonly string[],
  ) => Promise<{ readonly explorations: readonly DescribedExploration[]; readonly unusable: readonly UnusableFile[] }>;
  /** Returns the journeys in the folder `journeys` next to the configuration file. */
  readonly findJourneys: (config: Config) => Promise<FoundJourneys>;
  /**
   * Checks the modules of the user that the configuration names as store adapters.
   * @throws SeqqaError with exit status 2
   */
  readonly checkStoreModules: (config: Config) => Promise<void>;
  readonly loadExtension: typeof RunModule.loadUserExport;
  readonly demoDirectory: () => string;
  readonly doctor: (config: Config) => Promise<readonly StoreCheck[]>;
  readonly clean: typeof RunModule.clean;
}
