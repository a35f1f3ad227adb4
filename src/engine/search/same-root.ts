import type { LaneReport } from "../../messages/lane-messages.ts";

/** Returns `true` if two lanes reported equal root states. */
export function sameRoot(a: LaneReport, b: LaneReport): boolean {
  return a.wholeLo === b.wholeLo && a.wholeHi === b.wholeHi && a.rootLo === b.rootLo && a.rootHi === b.rootHi;
}
