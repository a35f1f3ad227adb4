import type { LaneReport } from "../../messages/lane-messages.ts";

/** Returns `true` if two lanes have equal root states, both as a whole and as nodes. */
export function sameRoot(a: LaneReport, b: LaneReport): boolean {
  return a.wholeLo === b.wholeLo && a.wholeHi === b.wholeHi && a.rootLo === b.rootLo && a.rootHi === b.rootHi;
}
