import type { Fingerprint } from "../../state/canonical/facts.ts";
import type { LaneBase } from "../bring-up/lane-base.ts";

/** Resolves to `true` if the lane is in the state with this fingerprint. */
export async function isAt({ state, canonicalizer }: Pick<LaneBase, "state" | "canonicalizer">, { lo, hi }: Fingerprint): Promise<boolean> {
  const now = { lo: 0, hi: 0 };
  await state.fingerprint(canonicalizer, now);
  return now.lo === lo && now.hi === hi;
}

/**
 * Reads the World's probe again, because the state would otherwise contain the result of the last read. Ignores errors here, since a step reports
 * them.
 */
export async function readProbe(state: LaneBase["state"]): Promise<void> {
  await state.probe().catch(() => undefined);
}
