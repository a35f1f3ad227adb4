import { sameFingerprint, type Fingerprint } from "../../state/canonical/facts.ts";
import type { UnitRequest } from "../../messages/lane-messages.ts";
import type { LaneBase } from "../bring-up/lane-base.ts";
import type { SavedWorld } from "../state/saved-world.ts";

export interface RaceGround {
  readonly base: LaneBase;
  /** Brings the lane to the state at the end of a path. Continues from a checkpoint if possible. @throws LaneLost */
  goTo(path: readonly number[], draws?: UnitRequest["draws"]): Promise<SavedWorld>;
  /** Waits until the target has finished writing after its answers. */
  settle(): Promise<void> | void;
  /** Forgets the lane's position, since the state was changed. The next call of {@link goTo} begins at a checkpoint. */
  leave(): void;
  isCancelled(): boolean;
  /** Records a heartbeat, so that the main thread does not treat the lane as hanging. */
  touch(): void;
}

/** Returns `true` if the lane is in the state with the fingerprint `at`. Also returns `true` if `at` is `undefined`. */
export async function isAt(
  { state, canonicalizer }: Pick<LaneBase, "state" | "canonicalizer">,
  at: Fingerprint | undefined,
): Promise<boolean> {
  if (at === undefined) return true;
  const now = { lo: 0, hi: 0 };
  await state.fingerprint(canonicalizer, now);
  return sameFingerprint(now, at);
}
