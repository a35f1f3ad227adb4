import type { Fingerprint } from "../../state/canonical/facts.ts";
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

/** Returns `true` if a lane is in the state with a fingerprint. `undefined`: the fingerprint is not known, so that any state will do. */
export async function isAt(
  { state, canonicalizer }: Pick<LaneBase, "state" | "canonicalizer">,
  at: Fingerprint | undefined,
): Promise<boolean> {
  if (at === undefined) return true;
  const now = { lo: 0, hi: 0 };
  await state.fingerprint(canonicalizer, now);
  return now.lo === at.lo && now.hi === at.hi;
}
