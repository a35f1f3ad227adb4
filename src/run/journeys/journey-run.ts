import type { Config } from "../../config/index.ts";
import type { SeqqaError } from "../../model/errors.ts";
import type { JourneyResult, StepResult } from "../../model/results/journey-result.ts";
import type { Divergence, RunError } from "../../model/results/result.ts";

/** A journey file, with the name that the journey declares. */
export interface JourneyFile {
  /** Absolute path. */
  readonly file: string;
  readonly name: string;
}

export interface FoundJourney extends JourneyFile {
  /** The number of steps. */
  readonly steps: number;
}

export interface FoundJourneys {
  /** In the order of their files. */
  readonly journeys: readonly FoundJourney[];
  /** Files that export no `journey`, or that do not load. */
  readonly unusable: readonly { readonly file: string; readonly error: SeqqaError }[];
}

/** Events of journeys, in the order in which the journeys were requested, for any number of lanes. */
export type JourneyEvent =
  | { readonly kind: "journey_started"; readonly name: string }
  | { readonly kind: "step_ended"; readonly name: string; readonly step: StepResult }
  | { readonly kind: "journey_ended"; readonly name: string; readonly result: JourneyResult };

export interface RunJourneysInput {
  readonly journeys: readonly JourneyFile[];
  readonly config: Config;
  /** `true`: the first journey that does not pass is the last one. */
  readonly bail: boolean;
  /** Aborting it ends the running steps. The remaining steps are skipped, and the stores are restored. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: JourneyEvent) => void;
}

/** The result of one journey. */
export interface JourneyRun {
  readonly file: string;
  readonly result: JourneyResult;
  /** Notes on how reliable the result is. */
  readonly notes: readonly string[];
  /** The reason why the journey could not be run, such as a lane that did not start or a client that could not be made. */
  readonly error?: RunError | undefined;
  /** The stores could not be restored after the journey, so the next journey got a new lane. */
  readonly notPutBack?: Divergence | undefined;
}
