import type { UnitRequest } from "../../messages/lane-messages.ts";
import type { LaneBase } from "../bring-up/bring-up.ts";
import type { SavedWorld } from "../state/world-state.ts";

/** What a lane offers to whoever races calls on it. */
export interface RaceGround {
  readonly base: LaneBase;
  /** Brings the lane to where a path leads, from a checkpoint where there is one. @throws LaneLost */
  goTo(path: readonly number[], draws?: UnitRequest["draws"]): Promise<SavedWorld>;
  /** Waits until the target has committed what it does after its answers. */
  settle(): Promise<void> | void;
  /** Nothing is known about where the lane stands. */
  leave(): void;
  /** The run was interrupted. */
  isCancelled(): boolean;
  /** A sign of life. */
  touch(): void;
}
