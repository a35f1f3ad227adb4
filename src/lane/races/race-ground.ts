import type { UnitRequest } from "../../messages/lane-messages.ts";
import type { LaneBase } from "../bring-up/bring-up.ts";
import type { SavedWorld } from "../state/world-state.ts";

/** The part of a lane that racing calls needs. */
export interface RaceGround {
  readonly base: LaneBase;
  /** Brings the lane where a path leads, from a checkpoint if there is one. @throws LaneLost */
  goTo(path: readonly number[], draws?: UnitRequest["draws"]): Promise<SavedWorld>;
  /** Waits until the target has committed its work after its answers. */
  settle(): Promise<void> | void;
  /** Forgets where the lane is. */
  leave(): void;
  /** Returns `true` if the run was interrupted. */
  isCancelled(): boolean;
  /** Records a heartbeat. */
  touch(): void;
}
