import type { Expansion, LaneFailure } from "../../messages/lane-messages.ts";

/** Returns the expansion of a chunk whose lane is lost. It is empty except for the reason. */
export function lostExpansion(failure: LaneFailure | undefined): Expansion {
  return {
    finished: 0,
    rows: new Int32Array(0),
    news: [],
    images: [],
    divergences: [],
    replayed: 0,
    checked: 0,
    busyMs: 0,
    failure,
  };
}
