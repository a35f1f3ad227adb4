import type { LaneReport } from "../../messages/lane-messages.ts";

/** Whether two lanes begin in one state: the whole of it, and what is observed there. */
export function sameRoot(a: LaneReport, b: LaneReport): boolean {
  return a.wholeLo === b.wholeLo && a.wholeHi === b.wholeHi && a.rootLo === b.rootLo && a.rootHi === b.rootHi;
}
