import type { Config } from "../../config/index.ts";
import type { SeqqaError } from "../../model/errors.ts";
import type { ExplorationResult } from "../../model/results/result.ts";
import type { MeasuredCode } from "../coverage/code/code-coverage.ts";
import type { CountedDescription } from "../coverage/read-operations.ts";
import type { ExploreFileRequest, LoadedFiles } from "../prepare/explore-request.ts";
import type { JourneyRun, RunJourneysInput } from "../journeys/journey-run.ts";
import type { KeptReason, ResumableInput } from "../resume/check-resumable.ts";

/** The operations that a run uses. Each operation loads the engine when it is first called. Tests replace these operations. */
export interface RunEngine {
  /** Explores one file. @returns `undefined` if the name of the exploration does not contain the text `only` @throws SeqqaError */
  readonly exploreFile: (input: ExploreFileRequest) => Promise<ExplorationResult | undefined>;
  /** Loads all exploration files. Calls `work` with the loaded files, and with an error for each file that cannot be loaded. */
  readonly withLoadedFiles: (files: readonly string[], work: (loaded: LoadedFiles) => Promise<void>) => Promise<void>;
  readonly runJourneys: (input: RunJourneysInput) => Promise<readonly JourneyRun[]>;
  /** Runs `work` while the run's services are up. @returns `undefined` if interrupted before the work started @throws SeqqaError */
  readonly withServices: <T>(
    config: Config,
    options: { readonly signal: AbortSignal; readonly onProblem: (error: SeqqaError) => void },
    work: () => Promise<T>,
  ) => Promise<T | undefined>;
  /** Reads the OpenAPI description whose operations are counted. @returns `undefined` if there is none @throws SeqqaError with exit status 2 */
  readonly readOperations: (config: Config) => Promise<CountedDescription | undefined>;
  /** Calls `work` and returns the coverage of the targets' code. Shown paths are relative to `cwd`. */
  readonly withCodeCoverage: (config: Config, cwd: string, work: (folder: string) => Promise<void>) => Promise<MeasuredCode>;
  /** Returns the exploration files that the resumed run does not continue, with the reasons. @throws SeqqaError if the run cannot be resumed */
  readonly checkResumable: (input: ResumableInput) => Promise<ReadonlyMap<string, KeptReason>>;
}
