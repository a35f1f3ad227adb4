import type { RanStep, RanSteps } from "../../journeys/index.ts";
import type { LaneOptions } from "../../lane/index.ts";
import type { JourneyDefinition } from "../../model/declare/journey/journey.ts";
import type { LaneSpec } from "../../targets/lanes/lane-spec.ts";
import type { HttpSettings } from "../../adapters/http/defaults.ts";

/** Settings for all journeys of a run, as plain data that can be sent to a thread. */
export interface JourneySettings {
  readonly options: LaneOptions;
  readonly http: HttpSettings;
}

/** A journey with its bundle file, from which a thread can load it. */
export interface BundledJourney {
  readonly journey: JourneyDefinition<never, never>;
  readonly bundle: string;
}

export interface LaneJourney {
  readonly ran: RanSteps;
  /** The error that prevented the creation of a client for the journey. `undefined` if the client was created. */
  readonly failure: { readonly code: string; readonly message: string; readonly stack: string | undefined } | undefined;
  /** `true` if the target still wrote to a store after the previous journey had ended. The write was undone. */
  readonly late: boolean;
  /** A message for each cookie that the client of the journey rejected. */
  readonly rejectedCookies: readonly string[];
  /** The differences if the lane did not return to its root state after the journey. `undefined` if the lane returned to its root state. */
  readonly notPutBack: { readonly message: string; readonly differences: readonly string[] } | undefined;
}

export interface LaneFacts {
  /** `true` if the lane has no store that can be restored. */
  readonly contextOnly: boolean;
}

/** Runs journeys one after another, each from the root state of a lane. The lane is in this thread or in a separate thread. */
export interface JourneyRunner {
  /** Builds the lane. Closes the previous lane if there is one. */
  attach(spec: LaneSpec): Promise<LaneFacts>;
  run(journey: BundledJourney, signal: AbortSignal, onStep: (step: RanStep) => void): Promise<LaneJourney>;
  /** Restores external stores and closes the lane. A second call does nothing. */
  close(): Promise<void>;
}
