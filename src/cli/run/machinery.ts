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
 * Executes a path of an exploration file.
 * @throws SeqqaError
 */
export type ReplayFile = (input: ReplayFileInput) => Promise<ReplayResult>;

/** The operations that the commands start. Tests replace them. */
export interface Machinery extends RunEngine {
  /**
   * Offers a run to workers.
   * @throws SeqqaError
   */
  readonly distribute: (input: DistributeInput) => Promise<Distribution>;
  /**
   * Works on the run of another process.
   * @throws SeqqaError
   */
  readonly work: (input: WorkInput) => Promise<void>;
  readonly merging: () => Promise<Pick<typeof RunModule, "mergeExplorations" | "refuseDamaged" | "checkShards">>;
  readonly replayFile: ReplayFile;
  readonly codeHashes: typeof RunModule.codeHashes;
  /**
   * Executes actions of an exploration file one at a time.
   * @throws SeqqaError
   */
  readonly walkFile: typeof RunModule.walkFile;
  /** Returns the exploration files below a directory, as sorted absolute paths. */
  readonly discover: (directory: string) => Promise<readonly string[]>;
  readonly describeExplorations: (
    files: readonly string[],
  ) => Promise<{ readonly explorations: readonly DescribedExploration[]; readonly unusable: readonly UnusableFile[] }>;
  /** Returns the journeys in the folder `journeys` next to the configuration file. */
  readonly findJourneys: (config: Config) => Promise<FoundJourneys>;
  /**
   * Checks the store adapter modules that the configuration names.
   * @throws SeqqaError with exit status 2
   */
  readonly checkStoreModules: (config: Config) => Promise<void>;
  readonly loadExtension: typeof RunModule.loadUserExport;
  readonly demoDirectory: () => string;
  readonly doctor: (config: Config) => Promise<readonly StoreCheck[]>;
  readonly clean: typeof RunModule.clean;
}
