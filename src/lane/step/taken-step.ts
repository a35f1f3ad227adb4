import type { UnitRequest } from "../../messages/lane-messages.ts";
import type { SavedWorld } from "../state/world-state.ts";
import type { Outcome } from "./outcome.ts";

/** An action that a lane has executed, and its outcome. */
export interface TakenStep {
  /** The node from which the action was executed. */
  readonly unit: UnitRequest;
  /** The place of the unit in its chunk. */
  readonly index: number;
  /** The place of the action in the exploration. */
  readonly action: number;
  readonly outcome: Outcome;
  /** The world before the action. */
  readonly mark: SavedWorld;
}
