import type { UnitRequest } from "../../messages/lane-messages.ts";
import type { SavedWorld } from "../state/saved-world.ts";
import type { Outcome } from "./outcome.ts";

export interface TakenStep {
  /** The unit with the node in which the action was executed. */
  readonly unit: UnitRequest;
  /** Index of the unit in its chunk. */
  readonly index: number;
  /** Index of the action in the exploration. */
  readonly action: number;
  readonly outcome: Outcome;
  /** The checkpoint before the action. */
  readonly mark: SavedWorld;
}
