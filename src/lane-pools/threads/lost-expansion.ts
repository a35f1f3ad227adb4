import type { Expansion, LaneFailure } from "../../messages/lane-messages.ts";

/** Returns the answer to a chunk whose lane was lost. The answer contains no outcomes, only the failure. */
export function lostExpansion(failure: LaneFailure | undefined): Expansion {
  return {
    finished: 0,
    rows: new Int32Array(0),
    stepEvents: [],
    snapshots: [],
    divergences: [],
    replayed: 0,
    checked: 0,
    busyMs: 0,
    failure,
  };
}
