import type { RanStep, RanSteps } from "../../journeys/index.ts";
import type { LaneOptions } from "../../lane/index.ts";
import type { JourneyDefinition } from "../../model/declare/journey.ts";
import type { LaneSpec } from "../../targets/lanes/lane-spec.ts";
import type { HttpSettings } from "../../adapters/http/defaults.ts";

/** What all journeys of a run have in common; plain data. */
export interface JourneySettings {
  readonly options: LaneOptions;
  readonly http: HttpSettings;
}

/** A journey as each thread can get hold of it. */
export interface BundledJourney {
  readonly journey: JourneyDefinition<never, never>;
  /** File of the user's bundle. */
  readonly bundle: string;
}

/** What came of a journey on a lane; plain data. */
export interface LaneJourney {
  readonly ran: RanSteps;
  /** No client could be made for it. */
  readonly failure: { readonly code: string; readonly message: string; readonly stack: string | undefined } | undefined;
  /** The target had written since the journey before was put back; that was put back, too. */
  readonly late: boolean;
  /** The lane is not at its root again. */
  readonly notPutBack: { readonly message: string; readonly differences: readonly string[] } | undefined;
}

/** What a lane knows of itself. */
export interface LaneFacts {
  /** There is no store that could be put back. */
  readonly contextOnly: boolean;
}

/** A place where journeys run one after another, each from the lane's root: in this thread, or in one of its own. */
export interface JourneyRunner {
  /** Builds the lane, in place of the one that is there. */
  attach(spec: LaneSpec): Promise<LaneFacts>;
  run(journey: BundledJourney, signal: AbortSignal, onStep: (step: RanStep) => void): Promise<LaneJourney>;
  /** Leaves a store that is the user's as it was. Any number of times. */
  close(): Promise<void>;
}
