import type { Config } from "../../config/index.ts";
import type { SeqqaError } from "../../model/errors.ts";
import type { ExplorationResult } from "../../model/results/result.ts";
import type { ExploreFileRequest } from "../prepare/explore-request.ts";
import type { JourneyRun, RunJourneysInput } from "../journeys/journey-run.ts";
import type { ResumableInput } from "../resume/check-resumable.ts";

/** The operations that a run starts. They load the engine when they are first called. Tests replace them. */
export interface RunEngine {
  /** Explores what one file declares; returns `undefined` when `only` leaves the file out. @throws SeqqaError */
  readonly exploreFile: (input: ExploreFileRequest) => Promise<ExplorationResult | undefined>;
  readonly runJourneys: (input: RunJourneysInput) => Promise<readonly JourneyRun[]>;
  /** Does the work of a run while its services are up; returns `undefined` when it was interrupted before. @throws SeqqaError */
  readonly withServices: <T>(
    config: Config,
    options: { readonly signal: AbortSignal; readonly onProblem: (error: SeqqaError) => void },
    work: () => Promise<T>,
  ) => Promise<T | undefined>;
  /** Returns the finished files of a run that is resumed. @throws SeqqaError if it cannot be resumed */
  readonly checkResumable: (input: ResumableInput) => Promise<ReadonlySet<string>>;
}
