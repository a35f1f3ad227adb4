import type { RaceVerdict } from "../../model/results/result.ts";

const VERDICTS: readonly RaceVerdict[] = ["invariant", "state", "responses", "server_error"];

/** Returns how bad a race of this kind is, as a rank. 0 is the worst. */
export function verdictRank(verdict: RaceVerdict): number {
  return VERDICTS.indexOf(verdict);
}
