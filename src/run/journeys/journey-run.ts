import type { Config } from "../../config/index.ts";
import type { SeqqaError } from "../../model/errors.ts";
import type { JourneyResult, StepResult } from "../../model/results/journey-result.ts";
import type { Divergence, RunError } from "../../model/results/result.ts";

/** A journey that was found, by the name that it gives itself. */
export interface JourneyFile {
  /** Absolute. */
  readonly file: string;
  readonly name: string;
}

export interface FoundJourney extends JourneyFile {
  /** How many it has. */
  readonly steps: number;
}

export interface FoundJourneys {
  /** In the order of their files. */
  readonly journeys: readonly FoundJourney[];
  /** Files that export no `journey`, or that do not load. */
  readonly unusable: readonly { readonly file: string; readonly error: SeqqaError }[];
}

/** What happens, in the order of the journeys that were asked for, however many lanes there are. */
export type JourneyEvent =
  | { readonly kind: "journey_started"; readonly name: string }
  | { readonly kind: "step_ended"; readonly name: string; readonly step: StepResult }
  | { readonly kind: "journey_ended"; readonly name: string; readonly result: JourneyResult };

export interface RunJourneysInput {
  readonly journeys: readonly JourneyFile[];
  readonly config: Config;
  /** The first journey that does not pass is the last. */
  readonly bail: boolean;
  /** Aborting it ends the running steps; the rest are skipped, and the stores are put back. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: JourneyEvent) => void;
}

/** One journey that was run. */
export interface JourneyRun {
  readonly file: string;
  readonly result: JourneyResult;
  /** What the reader should know about how far the result can be trusted. */
  readonly notes: readonly string[];
  /** Why the journey could not be run, beside what its steps did: no lane came up for it, its client could not be made. */
  readonly error?: RunError | undefined;
  /** The stores could not be put back after it; the next journey got a lane of its own. */
  readonly notPutBack?: Divergence | undefined;
}
