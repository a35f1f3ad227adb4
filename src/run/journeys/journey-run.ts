import type { Config } from "../../config/index.ts";
import type { SeqqaError } from "../../model/errors.ts";
import type { JourneyResult, StepResult } from "../../model/results/journey-result.ts";
import type { Divergence, RunError } from "../../model/results/result.ts";

export interface JourneyFile {
  /** The absolute path of the journey file. */
  readonly file: string;
  readonly name: string;
}

export interface FoundJourney extends JourneyFile {
  readonly steps: number;
}

export interface FoundJourneys {
  /** The journeys, in the order of their files. */
  readonly journeys: readonly FoundJourney[];
  /** Journey files that export no `journey`, or that cannot be loaded, with the error of each. */
  readonly unusable: readonly { readonly file: string; readonly error: SeqqaError }[];
}

/** An event of a journey. Events arrive in the order of the requested journeys, for any number of lanes. */
export type JourneyEvent =
  | { readonly kind: "journey_started"; readonly name: string }
  | { readonly kind: "step_ended"; readonly name: string; readonly step: StepResult }
  | { readonly kind: "journey_ended"; readonly name: string; readonly result: JourneyResult };

export interface RunJourneysInput {
  readonly journeys: readonly JourneyFile[];
  readonly config: Config;
  /** `true` to run no further journeys after the first one that does not pass. */
  readonly bail: boolean;
  /** Aborting the signal ends the running steps. Remaining steps are skipped, and the stores are restored. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: JourneyEvent) => void;
  /** The folder to which targets write the coverage of their code. `undefined` if coverage is not measured. */
  readonly coverageFolder?: string | undefined;
}

export interface JourneyRun {
  readonly file: string;
  readonly result: JourneyResult;
  readonly notes: readonly string[];
  /** The reason why the journey could not be run, e.g. a lane that did not start or a client that could not be created. */
  readonly error?: RunError | undefined;
  /** The restore that failed after the journey; `undefined` if the stores were restored. After a failed restore, the next journey gets a new lane. */
  readonly notPutBack?: Divergence | undefined;
}
