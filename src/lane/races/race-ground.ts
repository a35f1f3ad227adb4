import type { Fingerprint } from "../../state/canonical/facts.ts";
import type { UnitRequest } from "../../messages/lane-messages.ts";
import type { LaneBase } from "../bring-up/bring-up.ts";
import type { SavedWorld } from "../state/world-state.ts";

export interface RaceGround {
  readonly base: LaneBase;
  /** Brings the lane to the end of a path, from a checkpoint if there is one. @throws LaneLost */
  goTo(path: readonly number[], draws?: UnitRequest["draws"]): Promise<SavedWorld>;
  /** Waits until the target has committed its work after its answers. */
  settle(): Promise<void> | void;
  /** Forgets the lane's position. The next {@link goTo} begins at a checkpoint. */
  leave(): void;
  isCancelled(): boolean;
  /** Records a heartbeat, so that the lane does not count as hanging. */
  touch(): void;
}

/** Returns `true` if the lane's state has the fingerprint `at`, or if `at` is `undefined`. */
export async function isAt(
  { state, canonicalizer }: Pick<LaneBase, "state" | "canonicalizer">,
  at: Fingerprint | undefined,
): Promise<boolean> {
  if (at === undefined) return true;
  const now = { lo: 0, hi: 0 };
  await state.fingerprint(canonicalizer, now);
  return now.lo === at.lo && now.hi === at.hi;
}
