import type { RanStep, RanSteps } from "../../journeys/index.ts";
import type { LaneOptions } from "../../lane/index.ts";
import type { JourneyDefinition } from "../../model/declare/journey.ts";
import type { LaneSpec } from "../../targets/lanes/lane-spec.ts";
import type { HttpSettings } from "../../adapters/http/defaults.ts";

/** Settings that all journeys of a run share. Plain data. */
export interface JourneySettings {
  readonly options: LaneOptions;
  readonly http: HttpSettings;
}

/** A journey in a form that every thread can load. */
export interface BundledJourney {
  readonly journey: JourneyDefinition<never, never>;
  readonly bundle: string;
}

export interface LaneJourney {
  readonly ran: RanSteps;
  /** Set if no client could be made for the journey. */
  readonly failure: { readonly code: string; readonly message: string; readonly stack: string | undefined } | undefined;
  /** `true` if the target wrote after the previous journey was undone. That write was undone, too. */
  readonly late: boolean;
  /** Set if the lane did not return to its root state. */
  readonly notPutBack: { readonly message: string; readonly differences: readonly string[] } | undefined;
}

export interface LaneFacts {
  /** `true` if there is no store that can be restored. */
  readonly contextOnly: boolean;
}

/** Runs journeys one after another, each from the lane's root state: in this thread, or in a thread of its own. */
export interface JourneyRunner {
  /** Builds the lane, and replaces an earlier one. */
  attach(spec: LaneSpec): Promise<LaneFacts>;
  run(journey: BundledJourney, signal: AbortSignal, onStep: (step: RanStep) => void): Promise<LaneJourney>;
  /** Restores external stores and closes the lane. May be called repeatedly. */
  close(): Promise<void>;
}
